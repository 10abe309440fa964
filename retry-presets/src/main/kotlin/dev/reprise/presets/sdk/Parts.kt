package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.ExceptionRule
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.values.ExponentialBackoff
import dev.reprise.core.shell.values.TIMEOUTS
import dev.reprise.core.shell.values.types

/** Parts that several presets share. */
internal object Parts {
    /** The AWS SDKs wait at most 20 s; Go v1 waits longer, JavaScript v2 and botocore's legacy mode have no cap. */
    const val CAP_NANOS = 20_000_000_000

    /** What the presets before standard mode have in common: no quota, no header, and no long polling. */
    val PLAIN: RetryPolicy =
        RetryPolicy {
            serverDelays = emptyList()
            quota = null
            longPollingDelay = false
        }

    fun exponential(baseMillis: Long, jitter: Jitter, throttlingBaseMillis: Long = baseMillis): Backoff =
        ExponentialBackoff(
            baseNanos = baseMillis * MILLI,
            throttlingBaseNanos = throttlingBaseMillis * MILLI,
            capNanos = CAP_NANOS,
            jitter = jitter,
        )

    /** Timeouts of a read or a whole request: `IOException`s all of them. */
    val IO_TIMEOUTS: ExceptionRule =
        ExceptionRule(FailureKind.TIMEOUT, TIMEOUTS.types - "java.util.concurrent.TimeoutException")

    /** `IOException`s that are not the network's: the thread was interrupted, or a file is not there. */
    val NOT_THE_NETWORK: ExceptionRule =
        ExceptionRule(
            null,
            setOf(
                "java.io.InterruptedIOException",
                "java.nio.channels.ClosedByInterruptException",
                "java.io.FileNotFoundException",
                "java.nio.file.FileSystemException",
            ),
        )

    fun transient(vararg types: String): ExceptionRule = ExceptionRule(FailureKind.TRANSIENT, types.toSet())
}
