package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.briefText
import dev.reprise.core.shell.time.durationOf
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * One attempt took longer than the policy lets it: a transient failure, and the last attempt's own if it was the last.
 * HTTP clients then throw a timeout of theirs, an `IOException`, which it caused.
 */
public class AttemptTimeoutException @ShellApi constructor(
    /** The attempt's number, from 1. */
    public val attempt: Int,
    private val timeoutNanos: Long,
) : RuntimeException("attempt $attempt took longer than ${limitText(timeoutNanos)}"),
    RetryableFailure {
    /** How long it was given. */
    @get:JvmSynthetic
    public val timeout: Duration get() = durationOf(timeoutNanos)

    /** How long it was given. For Java. */
    public fun getTimeout(): JavaDuration = JavaDuration.ofNanos(timeoutNanos)

    override val failureKind: FailureKind get() = FailureKind.TIMEOUT

    private companion object {
        const val serialVersionUID = 1L
    }
}

/** The limit in words. It is counted down a moment after the attempt began, so from 9 ms on it is rounded up to the setting. */
private fun limitText(nanos: Long): String =
    briefText(if (nanos < 9 * MILLI) nanos else nanos + Math.floorMod(-nanos, MILLI))
