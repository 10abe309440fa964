package dev.reprise.build

import java.time.Duration
import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale

/** Java's own `RFC_1123_DATE_TIME` has one digit for the first nine days of a month, and HTTP has two. */
private val FORMAT = DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US).withZone(ZoneOffset.UTC)

/** The date of [later] from [now], as HTTP writes it. */
fun httpDate(later: Duration, now: Instant = Instant.now()): String = FORMAT.format(now + later)
