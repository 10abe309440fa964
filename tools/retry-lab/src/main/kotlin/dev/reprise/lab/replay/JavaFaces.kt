package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import dev.reprise.lab.time.VirtualTime
import kotlinx.coroutines.suspendCancellableCoroutine
import java.util.concurrent.CompletableFuture
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.coroutines.resume

/** `retrier.call(...)` on a thread that is the only one there is. */
internal class BlockingFace(private val time: VirtualTime) : Face {
    override val waiter = Waiter { time.sleep(it) }

    override fun play(call: Scenario.Call, retrier: Retrier) {
        val work = BlockingAttempt<Any, Throwable> { attempt ->
            val outcome = call.outcomeOf(attempt.number)
            time.sleep(outcome.takesNanos)
            outcome.give(time.nanoTime())
        }
        try {
            JavaRetrier.sharing(retrier, VirtualWaiter(time), Runnable::run).callWithAttempt(call.options, work)
        } catch (_: Throwable) {
            Thread.interrupted() // An attempt may have thrown that it was interrupted. Listeners know the rest.
        }
    }
}

/** `retrier.callAsync(...)`, whose attempts and waits hold no thread; this one runs whatever there is to run. */
internal class FutureFace(private val time: VirtualTime) : Face {
    private val tasks = LinkedBlockingQueue<Runnable>()

    /** Used on a thread of the coroutines' pool, where futures wait for their send permits. */
    override val waiter = Waiter { nanos ->
        suspendCancellableCoroutine { continuation ->
            tasks.put { time.after(nanos) { continuation.resume(Unit) } }
        }
    }

    override fun play(call: Scenario.Call, retrier: Retrier) {
        val work = AsyncAttempt<Any> { attempt ->
            val outcome = call.outcomeOf(attempt.number)
            val answer = CompletableFuture<Any>()
            val end = time.after(outcome.takesNanos) {
                try {
                    answer.complete(outcome.give(time.nanoTime()))
                } catch (failure: Throwable) {
                    answer.completeExceptionally(failure)
                }
            }
            answer.whenComplete { _, _ -> end.dispose() }
            answer
        }
        val future = JavaRetrier.sharing(
            retrier,
            VirtualWaiter(time),
            tasks::put,
        ).callAsyncWithAttempt(call.options, work)
        while (!future.isDone) {
            val task = tasks.poll()
            // Time stands still while there are tasks, and while a thread of the pool is about to add one.
            if (task != null) {
                task.run()
            } else if (!time.step()) {
                awaitTask().run()
            }
        }
    }

    private fun awaitTask() =
        checkNotNull(tasks.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)) { "nothing is left to happen" }

    private companion object {
        const val PATIENCE_SECONDS = 10L
    }
}

/** Lets virtual time pass where the Java faces let real time pass. */
private class VirtualWaiter(private val time: VirtualTime) : JavaWaiter {
    override fun await(nanos: Long) = time.sleep(nanos)

    override fun after(nanos: Long, task: Runnable): Runnable = time.after(nanos, task).let {
        Runnable { it.dispose() }
    }
}
