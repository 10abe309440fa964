package dev.reprise.presets.sdk

import dev.reprise.core.Backoff
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.ExceptionRule
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.Statuses
import dev.reprise.core.shell.values.TIMEOUTS
import dev.reprise.core.shell.values.types
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** Parts that several presets share. */
internal object Parts {
    /** What the presets before standard mode have in common: no quota, no header, and no long polling. */
    val PLAIN: RetryPolicy =
        RetryPolicy {
            serverDelays = emptyList()
            quota = null
            longPollingDelay = false
        }

    /** Up to the 20 s of the AWS SDKs; Go v1 waits longer, JavaScript v2 and botocore's legacy mode have no cap. */
    fun exponential(baseMillis: Long, jitter: Jitter, throttlingBaseMillis: Long = baseMillis): Backoff =
        Backoff.exponential(baseMillis.milliseconds, throttlingBaseMillis.milliseconds, jitter = jitter)

    /** A server's delay is added to the backoff, however long it is. */
    val ADDED: ServerDelayBound = ServerDelayBound.add(Duration.INFINITE)

    /** The throttling codes that all SDKs agree on, [without] some. */
    fun throttling(vararg without: String): ErrorRule =
        ErrorRule(FailureKind.THROTTLING, ErrorTable.THROTTLING_CODES - without)

    /** A transient failure with one of these [codes], on these [statuses], with this [message]. */
    fun codes(vararg codes: String, statuses: Statuses = Statuses.NONE, message: String? = null): ErrorRule =
        ErrorRule(FailureKind.TRANSIENT, codes.toSet(), statuses, message)

    /** Timeouts of a read or a whole request: `IOException`s all of them. */
    val IO_TIMEOUTS: ExceptionRule =
        ExceptionRule(FailureKind.TIMEOUT, TIMEOUTS.types - "java.util.concurrent.TimeoutException")

    /** `IOException`s that are not the network's: the thread was interrupted, or a file is not there. */
    val NOT_THE_NETWORK: ExceptionRule = rejects(
        "java.io.InterruptedIOException",
        "java.nio.channels.ClosedByInterruptException",
        "java.io.FileNotFoundException",
        "java.nio.file.FileSystemException",
    )

    fun rejects(vararg types: String): ExceptionRule = ExceptionRule(null, types.toSet())

    fun transient(vararg types: String): ExceptionRule = ExceptionRule(FailureKind.TRANSIENT, types.toSet())
}
