package dev.reprise.presets.document

import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.toNanosSaturated
import java.math.BigDecimal
import java.time.DateTimeException
import java.time.Duration

/**
 * Durations in documents: `250us`, `50ms`, `1.5s`, `2m`, `1h`, `1d`, or ISO 8601 such as `PT1.5S`. Never negative;
 * fractions of a ns are cut off, more than 292 years is unlimited.
 */
internal object DurationText {
    const val UNLIMITED = "unlimited"

    /** The ns that [text] names, or `null`. */
    fun parse(text: String): Long? {
        if (text == UNLIMITED) return UNLIMITED_NANOS
        if (text.length > MAX_LENGTH) return null
        val match = PLAIN.matchEntire(text) ?: return iso(text)
        val (number, unit) = match.destructured
        val nanos = BigDecimal(number) * BigDecimal(UNITS.getValue(unit))
        return nanos.min(BigDecimal(UNLIMITED_NANOS)).toLong()
    }

    private fun iso(text: String): Long? = try {
        Duration.parse(text).takeIf { !it.isNegative }?.toNanosSaturated()
    } catch (_: DateTimeException) {
        null
    }

    private val UNITS = mapOf("ns" to 1L, "us" to 1_000L, "ms" to MILLI, "s" to SECOND) +
        mapOf("m" to 60 * SECOND, "h" to 3_600 * SECOND, "d" to 86_400 * SECOND)
    private val PLAIN = Regex("([0-9]++(?:\\.[0-9]++)?+)(ns|us|ms|s|m|h|d)")

    private const val MAX_LENGTH = 60
}
