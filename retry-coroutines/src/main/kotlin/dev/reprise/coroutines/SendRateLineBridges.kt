@file:JvmName("SendRateLines")

package dev.reprise.coroutines

import dev.reprise.core.rate.NoPermit
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import java.util.concurrent.CompletableFuture

/*
 * The same line for callers that are not coroutines. They stand in it side by side with those that are.
 */

/**
 * [SendRateLine.acquire] on the calling thread, which parks while it waits. When it is interrupted, it leaves the line at
 * once, consumes nothing and throws.
 *
 * @throws InterruptedException when the thread is interrupted.
 */
@Throws(InterruptedException::class)
public fun SendRateLine.acquireBlocking(noPermit: NoPermit, deadlineAt: Long): Long {
    if (tryAcquire()) return 0
    var waited = SendRateLine.REFUSED
    try {
        runBlocking { waited = acquire(noPermit, deadlineAt) }
        return waited
    } catch (e: InterruptedException) {
        if (waited >= 0) rate.putBack()
        throw e
    }
}

/**
 * [SendRateLine.acquire] as a future that holds no thread while it waits, and completes on a thread of
 * [Dispatchers.Default]. Cancelling it leaves the line at once and consumes nothing.
 */
public fun SendRateLine.acquireAsync(noPermit: NoPermit, deadlineAt: Long): CompletableFuture<Long> {
    if (tryAcquire()) return CompletableFuture.completedFuture(0)
    val future = CompletableFuture<Long>()
    val job =
        CoroutineScope(Dispatchers.Default).launch {
            try {
                val waited = acquire(noPermit, deadlineAt)
                if (!future.complete(waited) && waited >= 0) rate.putBack()
            } catch (e: Throwable) {
                future.completeExceptionally(e)
            }
        }
    future.whenComplete { _, _ -> job.cancel() }
    return future
}
