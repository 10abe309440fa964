package dev.reprise.core

import java.time.DateTimeException
import java.time.Instant
import java.time.LocalDateTime
import java.time.ZoneOffset

/** Reads the three date forms of RFC 9110, section 5.6.7. The day's name is not checked against the date. */
internal object HttpDate {
    private const val DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
    private const val TIME = "(\\d{2}):(\\d{2}):(\\d{2})"
    private val months = listOf("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

    private val imfFixdate = Regex("$DAY, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) $TIME GMT")
    private val rfc850 =
        Regex("(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) $TIME GMT")
    private val asctime = Regex("$DAY ([A-Z][a-z]{2}) ([ \\d]\\d) $TIME (\\d{4})")

    /** The instant that [text] names, or `null`. */
    fun parse(text: String): Instant? {
        imfFixdate.matchEntire(text)?.destructured?.let { (day, month, year, h, m, s) ->
            return instant(year.toInt(), month, day, h, m, s)
        }
        rfc850.matchEntire(text)?.destructured?.let { (day, month, year, h, m, s) ->
            return instant(CENTURY + year.toInt(), month, day, h, m, s)
        }
        asctime.matchEntire(text)?.destructured?.let { (month, day, h, m, s, year) ->
            return instant(year.toInt(), month, day.trim(), h, m, s)
        }
        return null
    }

    private fun instant(
        year: Int,
        month: String,
        day: String,
        hour: String,
        minute: String,
        second: String,
    ): Instant? = try {
        // A leap second is read as the second before it.
        val seconds = second.toInt().let { if (it == LEAP_SECOND) it - 1 else it }
        LocalDateTime
            .of(year, months.indexOf(month) + 1, day.toInt(), hour.toInt(), minute.toInt(), seconds)
            .toInstant(ZoneOffset.UTC)
    } catch (_: DateTimeException) {
        null
    }

    /** Two-digit years are of this century: HTTP is younger than the last one's end, a retry is never in the past. */
    private const val CENTURY = 2000
    private const val LEAP_SECOND = 60
}
