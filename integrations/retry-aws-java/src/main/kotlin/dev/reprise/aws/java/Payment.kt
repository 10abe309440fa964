package dev.reprise.aws.java

import software.amazon.awssdk.core.exception.AbortedException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

/**
 * Waits for a quota that many processes share, and that may not have said yet whether it pays for a retry. A quota of this
 * process has, and nothing waits.
 */
internal object Payment {
    /**
     * Waits on this thread until the quota of [call] has said so.
     *
     * @throws AbortedException when the thread is interrupted; its interrupt status is set again
     */
    fun blocking(call: AwsCall) {
        var nanos = call.unpaidNanos()
        while (nanos > 0) {
            try {
                TimeUnit.NANOSECONDS.sleep(nanos)
            } catch (e: InterruptedException) {
                Thread.currentThread().interrupt()
                call.ends(e)
                throw AbortedException.create("Thread was interrupted while it waited for the retry quota.", e)
            }
            call.askQuota()
            nanos = call.unpaidNanos()
        }
    }

    /** [blocking] without a thread. The future is complete already if there is nothing to wait for. */
    fun async(call: AwsCall): CompletableFuture<Void> {
        val nanos = call.unpaidNanos()
        if (nanos == 0L) return CompletableFuture.completedFuture(null)
        val later = CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
        return CompletableFuture.runAsync({ call.askQuota() }, later).thenCompose { async(call) }
    }
}
