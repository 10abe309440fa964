package dev.reprise.core

import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/** The retry that a [Backoff.custom] function is asked about. A value; safe for any number of threads. */
public class NextRetry internal constructor(
    /** 0 before the second attempt. */
    public val retryIndex: Int,
    /** The kind of the failure. */
    public val kind: FailureKind,
    /** The attempt's exception, or `null` if it returned [result]. */
    public val failure: Throwable? = null,
    /** The attempt's result, or `null` if it threw [failure]. */
    public val result: Any? = null,
    private val elapsedNanos: Long = 0,
    private val previousNanos: Long = -1,
) {
    /** How long the call has taken until now. */
    @get:JvmSynthetic
    public val elapsed: Duration get() = durationOf(elapsedNanos)

    /** How long the call has taken until now. For Java. */
    public fun getElapsed(): JavaDuration = JavaDuration.ofNanos(elapsedNanos)

    /** The wait before the attempt that failed; `null` if that was the first. */
    @get:JvmSynthetic
    public val previousDelay: Duration? get() = if (previousNanos < 0) null else durationOf(previousNanos)

    /** The wait before the attempt that failed; `null` if that was the first. For Java. */
    public fun getPreviousDelay(): JavaDuration? = if (previousNanos < 0) null else JavaDuration.ofNanos(previousNanos)

    override fun toString(): String = "retry $retryIndex after ${kind.word}: ${failure ?: result}"
}
