package dev.reprise.core.shell.time

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.math.BigDecimal
import java.math.BigInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import java.time.Duration as JavaDuration

class NanosTest :
    FunSpec({
        test("a sum stops at the ends of the range") {
            val least = BigInteger.valueOf(Long.MIN_VALUE)
            val most = BigInteger.valueOf(Long.MAX_VALUE)
            checkAll(Arb.long(), Arb.long()) { a, b ->
                val sum = BigInteger.valueOf(a) + BigInteger.valueOf(b)
                saturatingAdd(a, b) shouldBe sum.coerceIn(least, most).toLong()
            }
        }

        test("the text of a setting says it to the nanosecond") {
            val units = mapOf("ns" to 0, "us" to 3, "ms" to 6, "s" to 9)
            checkAll(Arb.long(0, Long.MAX_VALUE - 1)) { nanos ->
                val text = nanosText(nanos)
                val unit = text.takeLastWhile { it.isLetter() }
                BigDecimal(text.removeSuffix(unit)).movePointRight(units.getValue(unit)).longValueExact() shouldBe nanos
            }
            mapOf(
                0L to "0s",
                999L to "999ns",
                1_000L to "1us",
                999_999L to "999.999us",
                1_000_000L to "1ms",
                1_500_000L to "1.5ms",
                -2_000_000L to "-2ms",
                2_000_000_000L to "2s",
                2_000_000_001L to "2.000000001s",
                Long.MAX_VALUE to "unlimited",
            ).forEach { (nanos, text) -> nanosText(nanos) shouldBe text }
        }

        test("the largest number of ns is no limit at all") {
            durationOf(UNLIMITED_NANOS) shouldBe Duration.INFINITE
            durationOf(5) shouldBe 5.nanoseconds
            limitOf(UNLIMITED_NANOS) shouldBe null
            limitOf(5) shouldBe 5.nanoseconds
            javaLimitOf(UNLIMITED_NANOS) shouldBe null
            javaLimitOf(5) shouldBe JavaDuration.ofNanos(5)
        }

        test("a duration that is too long for ns ends at the largest number") {
            JavaDuration.ofSeconds(Long.MAX_VALUE).toNanosSaturated() shouldBe Long.MAX_VALUE
            JavaDuration.ofSeconds(Long.MIN_VALUE).toNanosSaturated() shouldBe Long.MIN_VALUE
            JavaDuration.ofMillis(-3).toNanosSaturated() shouldBe -3_000_000
            Duration.INFINITE.toNanos() shouldBe Long.MAX_VALUE
        }
    })
