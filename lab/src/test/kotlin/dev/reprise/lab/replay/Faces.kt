package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.nanoseconds

/** The faces on which the same scenario must give the same lines. */
internal val FACES: Map<String, Face> = mapOf(
    "suspend" to SUSPEND,
    "blocking" to Face(::thisThread, ::blocking),
    "future" to Face(make = ::future),
    "ktor" to Face(make = ::ktor),
    "http" to Face(::thisThread, ::http),
    "http-async" to Face(make = ::httpAsync),
)

/** Blocks the only thread there is. */
private fun thisThread(time: VirtualTime) = Waiter { time.await(it) }

/** `retrier.call(...)`. */
private fun blocking(time: VirtualTime, call: Scenario.Call, retrier: Retrier): Any? {
    val work = BlockingAttempt<Any, Throwable> { attempt ->
        val outcome = call.outcomeOf(attempt.number)
        time.await(outcome.takesNanos.nanoseconds)
        outcome.give(time.nanoTime())
    }
    return JavaRetrier.sharing(retrier, time, Runnable::run).withOptions(call.options).callWithAttempt(work)
}

/** `retrier.callAsync(...)`, whose attempts and waits hold no thread. */
private fun future(time: VirtualTime, call: Scenario.Call, retrier: Retrier): Any? {
    val work = AsyncAttempt<Any> { attempt ->
        val outcome = call.outcomeOf(attempt.number)
        val reply = CompletableFuture<Any>()
        val end = time.after(outcome.takesNanos.nanoseconds) {
            try {
                reply.complete(outcome.give(time.nanoTime()))
            } catch (failure: Throwable) {
                reply.completeExceptionally(failure)
            }
        }
        reply.whenComplete { _, _ -> end.run() }
        reply
    }
    val java = JavaRetrier.sharing(retrier, time, time.executor).withOptions(call.options)
    return time.join(java.callAsyncWithAttempt(work))
}
