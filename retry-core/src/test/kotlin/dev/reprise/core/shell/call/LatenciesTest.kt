package dev.reprise.core.shell.call

import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeBetween
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import kotlin.math.ceil

class LatenciesTest :
    FunSpec({
        test("a time lies in its bucket") {
            checkAll(Arb.long(1L shl 16, 1L shl 40)) { nanos ->
                val bucket = Latencies.bucketOf(nanos)
                Latencies.lowerBound(bucket) shouldBeLessThanOrEqual nanos
                Latencies.lowerBound(bucket + 1) shouldBeGreaterThan nanos
            }
        }

        test("times beyond the buckets are counted in the first and the last one") {
            Latencies.bucketOf(0) shouldBe 0
            Latencies.bucketOf(-5) shouldBe 0
            Latencies.bucketOf(Long.MAX_VALUE) shouldBe 199
        }

        test("a quantile is within an eighth of the exact one") {
            checkAll(
                500,
                Arb.list(Arb.long(MILLI, 100 * SECOND), 100..400),
                Arb.double(0.05, 0.99, includeNaNs = false),
            ) { times, quantile ->
                val latencies = Latencies()
                times.forEach { latencies.record(it, now = 0) }
                val exact = times.sorted()[(ceil(quantile * times.size).toInt() - 1).coerceAtLeast(0)]
                (latencies.quantile(quantile, now = 0).toDouble() / exact).shouldBeBetween(0.888, 1.126, 0.0)
            }
        }

        test("no quantile is known of less than 100 attempts") {
            val latencies = Latencies()
            repeat(99) { latencies.record(MILLI, now = 0) }
            latencies.quantile(0.98, now = 0) shouldBe UNLIMITED_NANOS
            latencies.record(MILLI, now = 0)
            latencies.quantile(0.98, now = 0) shouldNotBe UNLIMITED_NANOS
        }

        fun afterAnHour(everyNanos: Long): Long {
            val latencies = Latencies()
            var now = 0L
            while (now < 3600 * SECOND) {
                latencies.record(MILLI, now)
                now += everyNanos
            }
            return latencies.quantile(0.98, now)
        }

        test("a client of one call a second learns, one of a call in ten seconds never does") {
            afterAnHour(SECOND) shouldNotBe UNLIMITED_NANOS
            afterAnHour(10 * SECOND) shouldBe UNLIMITED_NANOS
        }

        test("a server that became slower is known half a minute later") {
            val latencies = Latencies()
            var now = 0L
            for (time in listOf(10 * MILLI, 50 * MILLI)) {
                repeat(400) {
                    latencies.record(time, now)
                    now += 100 * MILLI
                }
            }
            latencies.quantile(0.5, now).toDouble().shouldBeBetween(44.0 * MILLI, 57.0 * MILLI, 0.0)
        }

        test("a quantile is read anew after a second, not before") {
            val latencies = Latencies()
            val start = 1_000 * SECOND
            repeat(100) { latencies.record(MILLI, start) }
            val first = latencies.quantile(0.5, start)
            repeat(10_000) { latencies.record(100 * MILLI, start) }
            latencies.quantile(0.5, start + SECOND - 1) shouldBe first
            latencies.quantile(0.5, start + SECOND) shouldBeGreaterThan 50 * MILLI
        }

        test("what is not known yet is asked again at once") {
            val latencies = Latencies()
            latencies.quantile(0.5, now = 0) shouldBe UNLIMITED_NANOS
            repeat(100) { latencies.record(MILLI, now = 0) }
            latencies.quantile(0.5, now = 0) shouldNotBe UNLIMITED_NANOS
        }

        test("a window of a hundred ends after ten seconds, one of fewer goes on, and the third oldest is forgotten") {
            val latencies = Latencies()
            repeat(100) { latencies.record(100 * MILLI, now = 0) }
            latencies.record(MILLI, 10 * SECOND - 1)
            // Three windows of fast attempts push the slow ones out, one at a time.
            for (window in 1..3) {
                repeat(100) { latencies.record(MILLI, window * 10 * SECOND) }
                val isForgotten = window == 3
                (latencies.quantile(0.99, window * 10 * SECOND) < 2 * MILLI) shouldBe isForgotten
            }
        }

        test("attempts of a quarter of an hour ago are forgotten, also if none has followed them") {
            val minutes = 60 * SECOND
            for ((age, isKnown) in listOf(15 * minutes - 1 to true, 15 * minutes to false, 10_000 * minutes to false)) {
                for (isFollowed in listOf(false, true)) {
                    val latencies = Latencies()
                    repeat(100) { latencies.record(100 * MILLI, now = 7) }
                    if (isFollowed) latencies.record(MILLI, 7 + age)
                    (latencies.quantile(0.5, 7 + age) != UNLIMITED_NANOS) shouldBe isKnown
                }
            }
        }

        test("a clock that was set back stops no learning") {
            val latencies = Latencies()
            val late = 36_000 * SECOND
            repeat(100) { latencies.record(MILLI, late) }
            latencies.quantile(0.5, late)
            for (second in 0L..60L) repeat(100) { latencies.record(100 * MILLI, second * SECOND) }
            latencies.quantile(0.5, 60 * SECOND) shouldBeGreaterThan 50 * MILLI
        }

        test("times above all buckets count as the longest") {
            val latencies = Latencies()
            repeat(100) { latencies.record(Long.MAX_VALUE, now = 0) }
            latencies.quantile(1.0, now = 0) shouldBe Latencies.lowerBound(200)
        }
    })
