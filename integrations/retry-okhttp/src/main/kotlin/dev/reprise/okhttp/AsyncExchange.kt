package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.shell.causeOf
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.internal.Elsewhere
import okhttp3.Call
import okhttp3.Callback
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage

/** The attempts of one enqueued call. Each is enqueued by itself, so that a wait holds no thread of the dispatcher. */
internal class AsyncExchange(private val plan: Plan, private val call: RetryingCall) : AsyncAttempt<OkHttpOutcome> {
    /** Begins the call, which ends with [delivery]. */
    fun enqueue(delivery: Delivery) {
        val future = plan.retrier(call.request()).outcomeAsyncWithAttempt(this)
        call.onCancel { future.cancel(true) }
        future.whenComplete { outcome, failure ->
            if (outcome != null) delivery.of(outcome, plan.requests) else delivery.failed(failure)
        }
    }

    override fun mayRunTwice(): Boolean = plan.mayRunTwice

    override fun start(attempt: Attempt): CompletionStage<OkHttpOutcome> {
        val sent = plan.executionBegins()
        val one = call.newAttempt(plan.requests.of(attempt), attempt, sent)
        return Received(call, one, sent) { plan.outcome(it, attempt, call.repeatsByItself) }.also(one.call::enqueue)
    }

    override fun discard(result: OkHttpOutcome) {
        plan.requests.rejected(result.response)
        result.drop()
    }

    override fun releasesBeforeWait(): Boolean = true

    override fun mayRepeat(): Boolean = plan.mayRepeat()
}

/** The outcome of [one], an execution of an attempt of [whole], whose requests [sent] counts; cancelling it cancels its call. */
private class Received(
    private val whole: RetryingCall,
    private val one: RetryingCall.Running,
    private val sent: SentRequests?,
    private val outcomeOf: (Response) -> OkHttpOutcome,
) : CompletableFuture<OkHttpOutcome>(),
    Callback {
    override fun onResponse(call: Call, response: Response) {
        val outcome =
            try {
                outcomeOf(response)
            } catch (e: Throwable) {
                sent?.failed(e)
                completeExceptionally(e)
                return
            } finally {
                one.hasEnded = true
            }
        endsWhole()
        if (!isDone) sent?.responded()
        if (!complete(outcome)) response.close()
    }

    override fun onFailure(call: Call, e: IOException) {
        one.hasEnded = true
        sent?.failed(e)
        // OkHttp cancels a call whose interceptor throws anything else, and wraps that.
        val thrown = if (call.isCanceled()) causeOf(e)?.takeIf { it !is IOException } else null
        if (thrown == null) endsWhole() else one.cut()
        completeExceptionally(thrown ?: e)
    }

    private fun endsWhole() {
        if (whole.isCanceledBelow(one)) whole.cancel()
    }

    override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
        val isCancelled = super.cancel(mayInterruptIfRunning)
        // The user's listeners are told of that; this may be a thread that other calls wait for.
        if (isCancelled) Elsewhere.run(one::cut)
        return isCancelled
    }
}
