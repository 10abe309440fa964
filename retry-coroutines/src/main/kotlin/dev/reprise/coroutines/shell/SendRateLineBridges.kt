@file:JvmName("SendRateLines")

package dev.reprise.coroutines.shell

import dev.reprise.core.NoPermit
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.RetryCall
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.launch
import java.util.concurrent.CompletableFuture

/* The same line for callers that are not coroutines. They wait in it together with coroutines. */

/**
 * Ends the waits of these callers in real time; in a simulated one they end on the thread that ends the wait. No thread that waits is one of its own: callers that park on all threads of
 * [Dispatchers.Default] or of [Dispatchers.IO] would keep it from that.
 */
@OptIn(ExperimentalCoroutinesApi::class)
private val dispatcher = Dispatchers.IO.limitedParallelism(64)

/**
 * [SendRateLine.acquire] on the calling thread, which parks while it waits and runs nothing else meanwhile. When it is
 * interrupted, it leaves the line at once, consumes nothing and throws.
 *
 * @throws InterruptedException when the thread is interrupted.
 */
@ShellApi
@Throws(InterruptedException::class)
public fun SendRateLine.acquireBlocking(call: RetryCall): Unit =
    report(acquireBlocking(call.setup.policy.onNoPermit, call.permitUntil), call)

@Throws(InterruptedException::class)
internal fun SendRateLine.acquireBlocking(noPermit: NoPermit, deadlineAt: Long): Long {
    val permit = acquireAsync(noPermit, deadlineAt)
    try {
        park(permit)
    } catch (e: InterruptedException) {
        if (!permit.cancel(true)) permit.whenComplete { waited, _ -> waited?.let { giveBack(it) } }
        throw e
    }
    failureOf(permit)?.let { throw it }
    return permit.join()
}

/**
 * [SendRateLine.acquire] as a future of the ns waited or [SendRateLine.REFUSED], for [SendRateLine.report]. It holds no
 * thread while it waits, and completes on a thread that is free for it, however many callers park. Cancelling it leaves the
 * line at once and consumes nothing.
 */
@ShellApi
public fun SendRateLine.acquireAsync(call: RetryCall): CompletableFuture<Long> =
    acquireAsync(call.setup.policy.onNoPermit, call.permitUntil)

internal fun SendRateLine.acquireAsync(noPermit: NoPermit, deadlineAt: Long): CompletableFuture<Long> {
    if (tryAcquire()) return CompletableFuture.completedFuture(0)
    val future = CompletableFuture<Long>()
    val context = if (isSimulated) Dispatchers.Unconfined else dispatcher
    // Joins the line here and now: the dispatcher runs in no order.
    val job = CoroutineScope(context).launch(start = CoroutineStart.UNDISPATCHED) {
        try {
            val waited = acquire(noPermit, deadlineAt)
            if (!future.complete(waited)) giveBack(waited)
        } catch (e: Throwable) {
            future.completeExceptionally(e)
        }
    }
    future.whenComplete { _, _ -> job.cancel() }
    return future
}

/** Gives back the permit that [acquireAsync] came with after a wait of [waited] ns, if there was one. */
@ShellApi
public fun SendRateLine.giveBack(waited: Long) {
    if (waited >= 0) rate.putBack()
}
