package dev.reprise.core

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.math.BigInteger
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds

private val NANOS = Arb.choice(Arb.long(0, Long.MAX_VALUE), Arb.long(0, 100))
private val POSITIVE = Arb.choice(Arb.long(1, Long.MAX_VALUE), Arb.long(1, 99))
private val RETRIES = Arb.choice(Arb.int(0, Int.MAX_VALUE), Arb.int(0, 20))
private val KIND = FailureKind.TRANSIENT

/** The figures of each backoff against the same formula without a limit on numbers, and what none of them takes. */
class BackoffArithmeticTest :
    FunSpec({
        test("a linear ceiling is the smaller of base + step x i and the cap") {
            checkAll(NANOS, NANOS, NANOS, RETRIES) { base, step, cap, retryIndex ->
                val exact = base.toBigInteger() + step.toBigInteger() * retryIndex.toBigInteger()
                LinearBackoff(base, step, cap).ceilingNanos(retryIndex, KIND).toBigInteger() shouldBe
                    exact.min(cap.toBigInteger())
            }
        }

        test("a ceiling of the Go SDK is the largest delay that it can draw") {
            checkAll(POSITIVE, POSITIVE, Arb.int(0, 100)) { min, max, retryIndex ->
                val isGuarded = min.toBigInteger().bitLength() + retryIndex >= 63
                val largest = (min.toBigInteger() * BigInteger.TWO - BigInteger.ONE).shiftLeft(retryIndex)
                val expected = if (isGuarded) max.toBigInteger() else largest.min(max.toBigInteger())
                val backoff = GoBackoff(min, max)
                backoff.ceilingNanos(retryIndex, KIND).toBigInteger() shouldBe expected
                // A draw has 53 bits.
                if (!isGuarded && min < (1L shl 52) && largest <= max.toBigInteger()) {
                    backoff.delayNanos(retryIndex, KIND, -1) { 1.0 }.toBigInteger() shouldBe largest
                }
            }
        }

        test("a decorrelated ceiling is three times as long for each retry, from a base of nothing on nothing") {
            checkAll(Arb.long(0, 1000), Arb.long(0, 100_000), Arb.int(0, 8)) { base, cap, retryIndex ->
                val grown = generateSequence(3 * base) { 3 * it }.elementAt(retryIndex)
                DecorrelatedBackoff(base, cap).ceilingNanos(retryIndex, KIND) shouldBe minOf(grown, cap)
            }
            DecorrelatedBackoff(0, 10).ceilingNanos(Int.MAX_VALUE, KIND) shouldBe 0
        }

        test("what makes no sense is refused with name and value") {
            val refused = mapOf<() -> Backoff, String>(
                { FixedBackoff(-1) } to "backoff.delay must not be negative: -1ns",
                { LinearBackoff(-1, 0) } to "backoff.base must not be negative: -1ns",
                { LinearBackoff(0, -1) } to "backoff.step must not be negative: -1ns",
                { LinearBackoff(0, 0, -1) } to "backoff.cap must not be negative: -1ns",
                { DecorrelatedBackoff(-1, 0) } to "backoff.base must not be negative: -1ns",
                { DecorrelatedBackoff(0, -1) } to "backoff.cap must not be negative: -1ns",
                { ExponentialBackoff(-1, 0) } to "backoff.base must not be negative: -1ns",
                { ExponentialBackoff(0, -1) } to "backoff.throttlingBase must not be negative: -1ns",
                { ExponentialBackoff(0, capNanos = -1) } to "backoff.cap must not be negative: -1ns",
                { ExponentialBackoff(0, factor = 0.0) } to "backoff.factor must be finite and above 0: 0.0",
                { ExponentialBackoff(0, factor = Double.POSITIVE_INFINITY) } to
                    "backoff.factor must be finite and above 0: Infinity",
                { ExponentialBackoff(0, firstExponent = 2) } to "backoff.firstExponent must be 0 or 1: 2",
                { ExponentialBackoff(0, firstExponent = -1) } to "backoff.firstExponent must be 0 or 1: -1",
                { GoBackoff(0, 1) } to "backoff.min must be at least 1ns: 0s",
                { GoBackoff(1, 0) } to "backoff.max must be at least 1ns: 0s",
            )
            for ((make, message) in refused) shouldThrow<IllegalArgumentException> { make() }.message shouldBe message
            GoBackoff(1, 1).ceilingNanos(0, KIND) shouldBe 1
            ExponentialBackoff(7, firstExponent = 1).ceilingNanos(0, KIND) shouldBe 14
        }

        test("a backoff says what it does") {
            val second = 1_000_000_000L
            "${ExponentialBackoff(second, 2 * second, firstExponent = 1, capNanos = 20 * second)}" shouldBe
                "exponential(1s, throttling 2s x 2.0 from exponent 1, cap 20s, full jitter)"
            "${ExponentialBackoff(second, capNanos = 20 * second)}" shouldBe
                "exponential(1s x 2.0, cap 20s, full jitter)"
            "${LinearBackoff(second, second, 20 * second)}" shouldBe "linear(1s + 1s each, cap 20s, no jitter)"
            "${CustomBackoff("mine", Jitter.NONE) { 1 }}" shouldBe "custom(mine)"
        }

        test("a function's backoff asks it wherever it is asked itself; nothing is a wait, too") {
            val custom = CustomBackoff("mine", Jitter.NONE) { it.retryIndex * 5L }
            custom.ceilingNanos(3, KIND) shouldBe 15
            custom.delayNanos(3, KIND, -1) { 0.5 } shouldBe 15
            custom.delayNanos(0, KIND, -1) { 0.5 } shouldBe 0
            CustomBackoff("never", Jitter.NONE) { null }.delayNanos(0, KIND, -1) { 0.5 } shouldBe Backoff.STOP
            PerKindBackoff(FixedBackoff(1), custom).customFor(FailureKind.THROTTLING) shouldBeSameInstanceAs custom
            PerKindBackoff(FixedBackoff(1), custom).customFor(FailureKind.TRANSIENT).shouldBeNull()
        }

        test("a function is told of the wait before, if there was one, in either kind of duration") {
            val first = NextRetry(0, KIND)
            first.previousDelay.shouldBeNull()
            first.getPreviousDelay().shouldBeNull()
            val second = NextRetry(1, FailureKind.THROTTLING, result = "slow down", previousNanos = 0)
            second.previousDelay shouldBe 0.milliseconds
            second.getPreviousDelay() shouldBe Duration.ZERO
            "$second" shouldBe "retry 1 after throttling: slow down"
            "${NextRetry(1, KIND, IllegalStateException("x"))}" shouldBe
                "retry 1 after transient: java.lang.IllegalStateException: x"
        }
    })
