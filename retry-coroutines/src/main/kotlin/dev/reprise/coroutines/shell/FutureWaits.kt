@file:JvmName("FutureWaits")

package dev.reprise.coroutines.shell

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.locks.LockSupport

/*
 * How a thread waits for a future and reads its end. CompletableFuture.get serves for neither: on a worker of a fork-join
 * pool it runs other tasks meanwhile, and from JDK 25 on it throws another CancellationException than the one that the
 * future ended with.
 */

/**
 * Parks the thread until [future] has ended. A fork-join pool whose worker it is may run another in its place meanwhile: the
 * future may need one to end.
 *
 * @throws InterruptedException at once, when the thread is interrupted or was before, unless the future has ended
 */
@ShellApi
@Throws(InterruptedException::class)
public fun park(future: CompletableFuture<*>) {
    if (future.isDone) return
    val thread = Thread.currentThread()
    future.whenComplete { _, _ -> LockSupport.unpark(thread) }
    val park = Park(future)
    try {
        ForkJoinPool.managedBlock(park)
    } catch (_: RejectedExecutionException) {
        // The pool may have no more workers. This one waits all the same.
        park.block()
    }
}

private class Park(private val future: CompletableFuture<*>) : ForkJoinPool.ManagedBlocker {
    override fun isReleasable(): Boolean = future.isDone

    override fun block(): Boolean {
        while (!future.isDone) {
            if (Thread.interrupted()) throw InterruptedException()
            LockSupport.park(future)
        }
        return true
    }
}

/** What [ended] failed with, as it is, or `null`. To read it as a result costs no wrapper. */
@ShellApi
public fun failureOf(ended: CompletableFuture<*>): Throwable? =
    if (ended.isCompletedExceptionally) ended.handle<Throwable?> { _, failure -> failure }.join() else null
