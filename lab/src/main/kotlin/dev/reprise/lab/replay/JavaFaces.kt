package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.nanoseconds

/** `retrier.call(...)` on a thread that is the only one there is. */
internal class BlockingFace(time: VirtualTime) : Face(time, { time.await(it) }) {
    override fun make(call: Scenario.Call, retrier: Retrier): Any? {
        val work = BlockingAttempt<Any, Throwable> { attempt ->
            val outcome = call.outcomeOf(attempt.number)
            time.await(outcome.takesNanos.nanoseconds)
            outcome.give(time.nanoTime())
        }
        return JavaRetrier.sharing(retrier, time, Runnable::run).withOptions(call.options).callWithAttempt(work)
    }
}

/** `retrier.callAsync(...)`, whose attempts and waits hold no thread. */
internal class FutureFace(time: VirtualTime) : Face(time) {
    override fun make(call: Scenario.Call, retrier: Retrier): Any? {
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
        return time.join(
            JavaRetrier.sharing(retrier, time, time.executor).withOptions(call.options).callAsyncWithAttempt(work),
        )
    }
}
