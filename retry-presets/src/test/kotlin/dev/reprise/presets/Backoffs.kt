@file:Suppress("FunctionName") // They stand for constructors.

package dev.reprise.presets

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import java.time.Duration

/** Backoffs of any times in ns: a Kotlin `Duration` rounds those of centuries. */
internal fun FixedBackoff(delayNanos: Long, jitter: Jitter = Jitter.NONE) =
    Backoff.fixed(Duration.ofNanos(delayNanos), jitter)

internal fun LinearBackoff(baseNanos: Long, stepNanos: Long, capNanos: Long, jitter: Jitter) =
    Backoff.linear(Duration.ofNanos(baseNanos), Duration.ofNanos(stepNanos), Duration.ofNanos(capNanos), jitter)

internal fun ExponentialBackoff(
    baseNanos: Long,
    throttlingBaseNanos: Long = baseNanos,
    factor: Double = 2.0,
    capNanos: Long = UNLIMITED_NANOS,
    jitter: Jitter = Jitter.FULL,
    firstExponent: Int = 0,
) = Backoff.exponential(
    Duration.ofNanos(baseNanos),
    Duration.ofNanos(capNanos),
    factor,
    jitter,
    Duration.ofNanos(throttlingBaseNanos),
    firstExponent,
)

internal fun DecorrelatedBackoff(baseNanos: Long, capNanos: Long) =
    Backoff.decorrelated(Duration.ofNanos(baseNanos), Duration.ofNanos(capNanos))
