package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll
import java.math.BigDecimal
import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter

private const val UNREADABLE = ServerDelayHeader.UNREADABLE

private fun read(
    header: ServerDelayHeader,
    value: String,
    date: String? = null,
    receivedAt: Long = HttpOutcome.UNKNOWN_TIME,
) = header.read(
    Reply(
        503,
        headers = listOfNotNull(header.headerName to value, date?.let { "date" to it }).toMap(),
        receivedAtEpochMillis = receivedAt,
    ),
)

class ServerDelayHeaderTest :
    FunSpec({
        test("digits are read, anything else is not") {
            for ((value, expected) in listOf(
                "0" to 0L,
                "1500" to 1_500_000_000L,
                "99999999999999999999999999" to 9_223_372_036_854_000_000L,
            )) {
                read(ServerDelayHeader.AMZ_MILLIS, value) shouldBe expected
            }
            val unreadable = listOf(" 7 ", "7\t", "-100", "+5", "1e3", "1.5", "1_000", "\uFF11\uFF12", "", "Infinity")
            for (value in unreadable) read(ServerDelayHeader.AMZ_MILLIS, value) shouldBe UNREADABLE
        }

        test("only in Retry-After are blanks around a value passed over, as HTTP has it") {
            read(ServerDelayHeader.RETRY_AFTER, "\t7 ") shouldBe 7_000_000_000
            read(ServerDelayHeader.RETRY_AFTER_SECONDS, " 7 ") shouldBe 7_000_000_000
            read(ServerDelayHeader.RETRY_AFTER, "\u00a07") shouldBe UNREADABLE
        }

        test("retry-after-ms may have a fraction, rounded up to the nanosecond, and no date") {
            for ((value, expected) in listOf(
                "1500" to 1_500_000_000L,
                " 1500.5 " to 1_500_500_000L,
                "0.000001" to 1L,
                "0.0000001" to 1L,
                "99999999999999999999.9" to Long.MAX_VALUE,
            )) {
                read(ServerDelayHeader.RETRY_AFTER_MILLIS, value) shouldBe expected
            }
            val unreadable = listOf("-1", ".", "Wed, 21 Oct 2026 07:28:00 GMT")
            for (value in unreadable) read(ServerDelayHeader.RETRY_AFTER_MILLIS, value) shouldBe UNREADABLE
        }

        test("Retry-After may have a fraction, rounded up to the nanosecond; the formats of the SDKs have none") {
            for ((value, expected) in listOf(
                "1.5" to 1_500_000_000L,
                "0.000000001" to 1L,
                "0.0000000001" to 1L,
                "2.0" to 2_000_000_000L,
                "99999999999999999999.9" to Long.MAX_VALUE,
                "9223372036.8547758071" to Long.MAX_VALUE,
                "9223372035.854775807" to Long.MAX_VALUE - 1_000_000_000,
                "1.9223372036854775809" to 1_922_337_204L,
            )) {
                read(ServerDelayHeader.RETRY_AFTER, value) shouldBe expected
            }
            val unreadable = listOf("1.", ".5", "1.5.5", "1.-5", "1,5", "1.5s", "/", ":")
            for (value in unreadable) read(ServerDelayHeader.RETRY_AFTER, value) shouldBe UNREADABLE
            read(ServerDelayHeader.RETRY_AFTER_SECONDS, "1.5") shouldBe UNREADABLE
            read(ServerDelayHeader.RETRY_AFTER_ATOI, "1.5") shouldBe UNREADABLE
            checkAll(Arb.long(0L..1_000_000_000_000L)) { nanos ->
                val value = BigDecimal.valueOf(nanos, 9).toPlainString()
                read(ServerDelayHeader.RETRY_AFTER, value) shouldBe nanos
            }
            checkAll(Arb.long(0L..1_000_000_000_000L), Arb.list(Arb.int(0..9), 1..30)) { nanos, digits ->
                val value = BigDecimal.valueOf(nanos, 9).toPlainString() + digits.joinToString("")
                read(ServerDelayHeader.RETRY_AFTER, value) shouldBe if (digits.all { it == 0 }) nanos else nanos + 1
            }
        }

        test("what the AWS SDK for Java v2 reads with Integer.parseInt may have a plus, and is an Int") {
            for ((value, seconds) in listOf(
                "0" to 0L,
                "-0" to 0L,
                "5" to 5L,
                "+5" to 5L,
                "007" to 7L,
                "2147483647" to 2_147_483_647L,
                "\uFF11\uFF12" to 12L,
            )) {
                read(ServerDelayHeader.RETRY_AFTER_INTEGER, value) shouldBe seconds * 1_000_000_000
            }
            val unreadable = listOf(
                "2147483648",
                "3000000000",
                "-5",
                "",
                "+",
                " 5",
                "1.5",
                "Sun, 06 Nov 1994 08:49:37 GMT",
            )
            for (value in unreadable) read(ServerDelayHeader.RETRY_AFTER_INTEGER, value) shouldBe UNREADABLE
        }

        test("a header that is not there is absent, not unreadable") {
            ServerDelayHeader.AMZ_MILLIS.read(Reply(503)) shouldBe ServerDelayHeader.ABSENT
        }

        test("Retry-After reads seconds and all three date forms, measured from the server's own Date") {
            val date = "Sun, 06 Nov 1994 08:49:07 GMT"
            for ((value, expected) in listOf(
                "120" to 120L,
                "Sun, 06 Nov 1994 08:49:37 GMT" to 30L,
                "Sun Nov  6 08:49:37 1994" to 30L,
                "Sun, 06 Nov 1994 08:49:00 GMT" to 0L,
            )) {
                read(ServerDelayHeader.RETRY_AFTER, value, date) shouldBe expected * 1_000_000_000
            }
            read(
                ServerDelayHeader.RETRY_AFTER,
                "Sunday, 01-Nov-26 00:01:00 GMT",
                "Sun, 01 Nov 2026 00:00:00 GMT",
            ) shouldBe 60_000_000_000
        }

        test("without a Date the time of receipt counts, and without both the date cannot be read") {
            val at = Instant.parse("1994-11-06T08:49:07Z").toEpochMilli()
            val value = "Sun, 06 Nov 1994 08:49:37 GMT"
            read(ServerDelayHeader.RETRY_AFTER, value, receivedAt = at) shouldBe 30_000_000_000
            read(ServerDelayHeader.RETRY_AFTER, value) shouldBe UNREADABLE
        }

        test("a leap second is the second before it, any later one is none") {
            HttpDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") shouldBe Instant.parse("2016-12-31T23:59:59Z")
            HttpDate.parse("Sat, 31 Dec 2016 23:59:59 GMT") shouldBe Instant.parse("2016-12-31T23:59:59Z")
            HttpDate.parse("Saturday, 31-Dec-16 23:59:60 GMT") shouldBe Instant.parse("2016-12-31T23:59:59Z")
            HttpDate.parse("Sat Dec 31 23:59:60 2016") shouldBe Instant.parse("2016-12-31T23:59:59Z")
            HttpDate.parse("Sat, 31 Dec 2016 23:59:61 GMT") shouldBe null
            HttpDate.parse("Sat, 31 Dec 2016 23:60:00 GMT") shouldBe null
        }

        test("a date is read as the JVM's servers and mail software write it") {
            val date = "Thu, 1 Jan 2026 00:00:00 GMT"
            for (value in listOf(
                "Thu, 1 Jan 2026 00:00:10 GMT", "Thu,  1 Jan 2026 00:00:10 GMT", "Thu, 1 Jan 2026 0:00:10 GMT",
                "Thu, 01 Jan 2026 00:00:10 UTC", "Thu, 01 Jan 2026 00:00:10 UT", "Thu, 01 Jan 2026 00:00:10 Z",
                "Thu, 01 Jan 2026 00:00:10 +0000", "Thu, 01 Jan 2026 00:00:10 -0000", "Thu, 1 Jan 2026 01:30:10 +0130",
                "Wed, 31 Dec 2025 16:00:10 -08:00", "thu, 01 jan 2026 00:00:10 gmt", "THU, 01 JAN 2026 00:00:10 GMT",
                "1 Jan 2026 00:00:10 GMT", "Thu, 01-Jan-2026 00:00:10 GMT", "thursday, 1-jan-26 00:00:10 gmt",
                "Thu Jan 1 00:00:10 2026", "thu jan  1 00:00:10 2026", "Thu Jan 01 00:00:10 UTC 2026",
                "Thu Jan 01 00:00:10 GMT 2026", "Thu, 01 Jan 2026 00:00:10 GMT+00:00",
                "Thu, 1 Jan 2026 01:00:10 UTC+0100",
            )) {
                withClue(value) { read(ServerDelayHeader.RETRY_AFTER, value, date) shouldBe 10_000_000_000 }
                withClue(value) {
                    Reply(503, headers = mapOf("date" to value)).sentAtEpochMillis() shouldBe
                        Instant.parse("2026-01-01T00:00:10Z").toEpochMilli()
                }
            }
            read(ServerDelayHeader.RETRY_AFTER, "Thu, 1 Jan 2026 00:01 GMT", date) shouldBe 60_000_000_000
        }

        test("the three forms of RFC 9110's example name one instant, and two digits a year from 1970 to 2069") {
            val instant = Instant.parse("1994-11-06T08:49:37Z")
            HttpDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") shouldBe instant
            HttpDate.parse("Sunday, 06-Nov-94 08:49:37 GMT") shouldBe instant
            HttpDate.parse("Sun Nov  6 08:49:37 1994") shouldBe instant
            HttpDate.parse("Thursday, 01-Jan-70 00:00:00 GMT") shouldBe Instant.EPOCH
            HttpDate.parse("Tuesday, 31-Dec-69 00:00:00 GMT") shouldBe Instant.parse("2069-12-31T00:00:00Z")
        }

        test("what the JDK's own formatter writes is read, in any zone and any case") {
            checkAll(Arb.long(0L..253_000_000_000L), Arb.int(-18 * 60..18 * 60), Arb.boolean()) { second, zone, lower ->
                val instant = Instant.ofEpochSecond(second)
                val offset = ZoneOffset.ofTotalSeconds(zone * 60)
                val text = DateTimeFormatter.RFC_1123_DATE_TIME.format(instant.atOffset(offset))
                HttpDate.parse(if (lower) text.lowercase() else text) shouldBe instant
            }
        }

        test("dates that are no dates are unreadable") {
            for (value in listOf(
                "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
                "Sun, 06 anF 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49:37 +1801", "Sun, 06 Nov 1994 08:49:37 +9900", "Sun, 06 Nov 1994 08:49:37 CEST",
                "Sun, 06 Nov 1994 08:49:37", "tomorrow",
            )) {
                read(ServerDelayHeader.RETRY_AFTER, value, "Sun, 06 Nov 1994 08:49:07 GMT") shouldBe
                    UNREADABLE
            }
        }

        test("no value makes a header throw, and every wish is finite and not negative") {
            checkAll(Arb.enum<ServerDelayHeader>(), Arb.string(0..60)) { header, value ->
                val nanos = read(header, value, "Sun, 06 Nov 1994 08:49:07 GMT")
                nanos shouldBeGreaterThanOrEqual UNREADABLE
            }
        }

        test(
            "a clamp keeps the wish between backoff and backoff plus its room; nothing is ever earlier than the backoff",
        ) {
            checkAll(Arb.long(0L..Long.MAX_VALUE), Arb.long(0L..Long.MAX_VALUE), Arb.long(0L..Long.MAX_VALUE)) {
                    backoff,
                    wish,
                    room,
                ->
                val top = if (backoff + room < 0) Long.MAX_VALUE else backoff + room
                ServerDelayBound.Clamp(room).delayNanos(backoff, wish).shouldBeBetween(backoff, top)
                ServerDelayBound.AtLeast(room, giveUpBeyondCap = false).delayNanos(backoff, wish) shouldBe
                    maxOf(backoff, minOf(wish, room))
                val strict = ServerDelayBound.AtLeast(room).delayNanos(backoff, wish)
                strict shouldBe if (wish > room) -1 else maxOf(wish, backoff)
            }
        }
    })
