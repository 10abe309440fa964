package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.javaLimitOf
import dev.reprise.core.shell.time.limitOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * The attempt that the block is executing. A value: it stays as it is when it is kept, and nothing leads from it to the
 * call. Safe for any number of threads.
 */
public interface Attempt {
    /** The attempt's number, from 1. */
    public val number: Int

    /** The number that requests of this attempt carry: a request that is made while serving a retry has at least that one's. */
    @ShellApi
    public val sentNumber: Int get() = number

    /**
     * Whether this is the copy of a slow first attempt that a [Hedge][dev.reprise.core.Hedge] sends: both run at once, and
     * this one carries the [number] of the next attempt.
     */
    public val isCopy: Boolean get() = false

    /** Whether the policy allows no attempt after this one. */
    public val isLast: Boolean

    /** The exception of the previous attempt; `null` on the first attempt, and after one that returned a bad result. */
    public val lastFailure: Throwable?

    /** How long this attempt may still take, in ns; [UNLIMITED_NANOS] where there is no limit. Reads the clock. */
    @ShellApi
    public val timeLeftNanos: Long

    /** How long this attempt may take from its start on, in ns; [UNLIMITED_NANOS] where there is no limit. */
    @ShellApi
    public val limitNanos: Long get() = timeLeftNanos

    /** How long this attempt's call may still take, in ns; [UNLIMITED_NANOS] where it has no deadline. Reads the clock. */
    @ShellApi
    public val callTimeLeftNanos: Long get() = UNLIMITED_NANOS

    /** How long this attempt may still take; `null` where the policy sets no limit. Reads the clock. */
    @get:JvmSynthetic
    public val timeLeft: Duration? get() = limitOf(timeLeftNanos)

    /** How long this attempt may still take; `null` where the policy sets no limit. Reads the clock. For Java. */
    public fun getTimeLeft(): JavaDuration? = javaLimitOf(timeLeftNanos)

    /** The [id][RetryEvent.callId] that the events of this attempt's call carry; 0 if the call has no listener. */
    public val callId: Long
}
