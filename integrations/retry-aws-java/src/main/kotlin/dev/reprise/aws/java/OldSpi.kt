package dev.reprise.aws.java

import software.amazon.awssdk.retries.api.RetryStrategy

/**
 * Rejects adaptive mode for asynchronous clients of SDKs before 2.54: their retry interface can wait for a permit only
 * by blocking, and the thread is one of the few that serve all calls.
 */
internal object OldSpi {
    /** Whether the SDK that is there can wait without a thread. */
    val waitsAsync: Boolean = RetryStrategy::class.java.methods.any { it.name == "acquireInitialTokenAsync" }

    private const val ASYNC_STAGE = "software.amazon.awssdk.core.internal.http.pipeline.stages.AsyncRetryableStage"
    private val stack = StackWalker.getInstance()

    /** @throws UnsupportedOperationException if an asynchronous client of an old SDK asks for a permit on this thread */
    fun refuseAsyncCaller() {
        if (waitsAsync) return
        val isAsync = stack.walk { frames -> frames.anyMatch { it.className.startsWith(ASYNC_STAGE) } }
        if (!isAsync) return
        throw UnsupportedOperationException(
            "adaptive mode in an asynchronous client needs AWS SDK 2.54 or newer: before, waiting for a send permit " +
                "would block a thread that serves other calls; use standard mode, or a synchronous client",
        )
    }
}
