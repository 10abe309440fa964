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
        while (call.unpaidNanos() > 0) {
            interruptibly(call, "the retry quota") { TimeUnit.NANOSECONDS.sleep(call.unpaidNanos()) }
            call.askQuota()
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

/** Runs [wait] on this thread, for [what]. If it throws, [call] ends; an interrupted thread throws the SDK's exception for that. */
internal inline fun interruptibly(call: AwsCall, what: String, wait: () -> Unit) = try {
    wait()
} catch (e: Throwable) {
    call.ends(e)
    if (e !is InterruptedException) throw e
    Thread.currentThread().interrupt()
    throw AbortedException.create("Thread was interrupted while it waited for $what.", e)
}
