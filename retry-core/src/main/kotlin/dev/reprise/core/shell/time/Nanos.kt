package dev.reprise.core.shell.time

import dev.reprise.core.shell.ShellApi
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import java.time.Duration as JavaDuration

/** Stands for "no limit" wherever a duration in nanoseconds limits something. */
@ShellApi
public const val UNLIMITED_NANOS: Long = Long.MAX_VALUE

/** A second in ns. */
internal const val SECOND: Long = 1_000_000_000

/** A millisecond in ns. */
internal const val MILLI: Long = 1_000_000

/** `a + b`; stops at the end of the range instead of wrapping round. */
internal fun saturatingAdd(a: Long, b: Long): Long {
    val sum = a + b
    val hasWrapped = (a xor sum) and (b xor sum) < 0
    return if (!hasWrapped) {
        sum
    } else if (a < 0) {
        Long.MIN_VALUE
    } else {
        Long.MAX_VALUE
    }
}

/** Whether the reading [now] is so much older than [since] that the clock was set back: a thread is not held up for a minute. */
internal fun isSetBack(since: Long, now: Long): Boolean = now - since < -60 * SECOND

/** These ns as a duration; the largest number is without end. */
internal fun durationOf(nanos: Long): Duration = if (nanos == UNLIMITED_NANOS) Duration.INFINITE else nanos.nanoseconds

/** These ns as a limit; `null` for none. */
internal fun limitOf(nanos: Long): Duration? = if (nanos == UNLIMITED_NANOS) null else nanos.nanoseconds

/** These ns as a limit for Java; `null` for none. */
internal fun javaLimitOf(nanos: Long): JavaDuration? =
    if (nanos == UNLIMITED_NANOS) null else JavaDuration.ofNanos(nanos)

/** This duration in whole ns; more than 292 years is as good as unlimited. */
internal fun Duration.toNanos(): Long = inWholeNanoseconds

/** This duration in whole ns; more than 292 years is as good as unlimited. */
@ShellApi
public fun JavaDuration.toNanosSaturated(): Long = try {
    toNanos()
} catch (_: ArithmeticException) {
    if (isNegative) Long.MIN_VALUE else Long.MAX_VALUE
}

/** [nanos] for people: `50ms`, `1.5s`, `unlimited`. */
@ShellApi
public fun nanosText(nanos: Long): String = when {
    nanos == UNLIMITED_NANOS -> "unlimited"
    nanos % SECOND == 0L -> "${nanos / SECOND}s"
    nanos >= SECOND -> "${decimal(nanos, SECOND)}s"
    nanos >= MILLI || nanos % MILLI == 0L -> "${decimal(nanos, MILLI)}ms"
    nanos >= 1_000 -> "${decimal(nanos, 1_000)}us"
    else -> "${nanos}ns"
}

/**
 * Returns [nanos] that passed or were drawn as a text for people, such as `37.54ms`: at most four digits that are not zero.
 * Traces, logs, reports and the Lab all print durations with it. Settings, which are read back, are never rounded.
 */
@ShellApi
public fun briefText(nanos: Long): String {
    val brief = java.math.BigDecimal.valueOf(nanos).round(java.math.MathContext(FOUR_DIGITS))
    return if (nanos == UNLIMITED_NANOS) nanosText(nanos) else nanosText(brief.toLong())
}

private const val FOUR_DIGITS = 4

private fun decimal(nanos: Long, unit: Long): String = java.math.BigDecimal
    .valueOf(nanos)
    .divide(java.math.BigDecimal.valueOf(unit))
    .stripTrailingZeros()
    .toPlainString()
