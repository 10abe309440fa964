package dev.reprise.soak

import dev.reprise.coroutines.retry
import dev.reprise.java.AsyncAttempt
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withTimeout
import java.io.IOException
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/** Runs [block] in a coroutine that is cancelled when [call] says. */
internal fun inCoroutine(call: Call, block: suspend () -> Any?) {
    runBlocking(Dispatchers.Default) {
        if (call.cancelAfterMillis < 0) block() else withTimeout(call.cancelAfterMillis) { block() }
    }
}

/** Waits for [future], or cancels it when [call] says. */
internal fun untilDone(call: Call, future: CompletableFuture<*>) {
    if (call.cancelAfterMillis < 0) {
        future.get()
        return
    }
    try {
        future.get(call.cancelAfterMillis, TimeUnit.MILLISECONDS)
    } catch (e: TimeoutException) {
        future.cancel(true)
        throw e
    }
}

/** Sends [call]. A cancellation ends the exchange too, for which the JDK's client wants `cancel(true)`; `await` does not say so. */
private suspend fun send(call: Call): HttpResponse<String> = suspendCancellableCoroutine { continuation ->
    val sent = Plain.client.sendAsync(call.request(), BodyHandlers.ofString())
    continuation.invokeOnCancellation { sent.cancel(true) }
    sent.whenComplete { response, failure ->
        continuation.resumeWith(
            if (failure ==
                null
            ) {
                Result.success(response)
            } else {
                Result.failure(failure.cause ?: failure)
            },
        )
    }
}

internal class SuspendFace : Face("suspend") {
    override fun make(call: Call) = inCoroutine(call) {
        val outcome = retrier(call.options) {
            Plain.Outcome(send(call))
        }
        outcome.status
    }
}

internal class FlowFace : Face("flow") {
    override fun make(call: Call) = inCoroutine(call) {
        val responses = flow {
            // The policy's attempt timeout is not for flows.
            val response = withTimeout(LONGEST_MILLIS) { send(call) }
            if (response.statusCode() >= FAILURES) throw IOException("status ${response.statusCode()}")
            emit(response.statusCode())
        }
        responses.retry(retrier, call.options).single()
    }

    private companion object {
        const val FAILURES = 400
        const val LONGEST_MILLIS = 250L
    }
}

internal class BlockingFace : Face("blocking") {
    override fun make(call: Call) {
        java.withOptions(call.options).callInterruptiblyWithAttempt(Plain.attempt(call))
    }
}

internal class FutureFace : Face("future") {
    override fun make(call: Call) {
        val work = AsyncAttempt<Any> {
            val sent = Plain.client.sendAsync(call.request(), BodyHandlers.ofString())
            val outcome = sent.thenApply<Any> { Plain.Outcome(it) }
            // The JDK's client cancels a request with the future that it returned, and with those derived from it.
            outcome
        }
        untilDone(call, java.withOptions(call.options).callAsyncWithAttempt(work))
    }
}

internal class ExecutorFace : Face("executor") {
    override fun make(call: Call) =
        untilDone(call, java.withOptions(call.options).callAsyncWithAttempt(Plain.attempt(call), SoakThreads))
}
