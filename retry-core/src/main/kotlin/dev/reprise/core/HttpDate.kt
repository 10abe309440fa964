package dev.reprise.core

import java.time.DateTimeException
import java.time.Instant
import java.time.LocalDateTime
import java.time.ZoneOffset

/**
 * Reads the three date forms of RFC 9110, section 5.6.7, and what servers make of them: the day of a month in one digit, as
 * Java's `RFC_1123_DATE_TIME` writes it, or after a blank, `UTC` or an offset for `GMT`, or behind it, no day's name, any case, and
 * Java's `Date.toString()`. The day's name is not checked against the date.
 */
internal object HttpDate {
    private const val DAY = "(?:Mon|Tue(?:s)?+|Wed(?:nes)?+|Thu(?:rs)?+|Fri|Sat(?:ur)?+|Sun)(?:day)?+"
    private const val TIME = "(\\d{1,2}+):(\\d{2})(?::(\\d{2}))?+"
    private const val ZONE = "(?:(?:GMT|UTC?+)?+([-+]\\d{2}):?+(\\d{2})|GMT|UTC?+|Z)"
    private val MONTHS = listOf("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

    private val common =
        Regex("(?:$DAY,?+ )?+( ?+\\d{1,2}+)[ -]([A-Z]{3})[ -](\\d{4}|\\d{2}) $TIME $ZONE", RegexOption.IGNORE_CASE)

    /** The one form in another order. */
    private val asctime =
        Regex("^$DAY ([A-Z]{3}) ( ?+\\d{1,2}+) ([0-9:]{4,8}+)(?: GMT| UTC)?+ (\\d{4})$", RegexOption.IGNORE_CASE)

    /** The instant that [text] names, or `null`. */
    fun parse(text: String): Instant? {
        val match = common.matchEntire(asctime.replace(text, "$2 $1 $4 $3 GMT")) ?: return null
        val (day, month, year, hour, minute, second, zoneHours, zoneMinutes) = match.destructured
        // A leap second is read as the second before it.
        val seconds = second.ifEmpty { "0" }.toInt().let { if (it == LEAP_SECOND) it - 1 else it }
        // Two digits are a year from 1970 on: HTTP is no older.
        val years = year.toInt().let { if (year.length > 2) it else (it + 30) % 100 + 1970 }
        val monthOfYear = MONTHS.indexOf(month.lowercase()) + 1
        return try {
            LocalDateTime.of(years, monthOfYear, day.trim().toInt(), hour.toInt(), minute.toInt(), seconds)
                .toInstant(if (zoneHours.isEmpty()) ZoneOffset.UTC else ZoneOffset.of(zoneHours + zoneMinutes))
        } catch (_: DateTimeException) {
            null
        }
    }

    private const val LEAP_SECOND = 60
}
