package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.choice
import io.kotest.property.arbitrary.constant
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.nanoseconds

private val nanos = Arb.choice(Arb.long(0L..Long.MAX_VALUE), Arb.long(0L..10_000_000_000L), Arb.constant(0L))
private val jitters = Arb.enum<Jitter>()
private val draw = Arb.choice(Arb.double(0.0..1.0, includeNaNs = false), Arb.constant(0.0), Arb.constant(1.0))
private val retryIndex = Arb.choice(Arb.int(0..100), Arb.int(0..Int.MAX_VALUE - 1), Arb.constant(Int.MAX_VALUE - 1))

private val exponentials =
    Arb.bind(nanos, nanos, Arb.double(0.1..10.0, includeNaNs = false), nanos, jitters, Arb.int(0..1)) {
            base,
            throttling,
            factor,
            cap,
            jitter,
            from,
        ->
        ExponentialBackoff(base, throttling, factor, cap, jitter, from)
    }

private val backoffs: Arb<Backoff> = Arb.choice(
    Arb.bind(nanos, jitters, ::FixedBackoff),
    Arb.bind(nanos, nanos, nanos, jitters, ::LinearBackoff),
    exponentials,
    Arb.bind(nanos, nanos, ::DecorrelatedBackoff),
    Arb.bind(Arb.long(1L..Long.MAX_VALUE), Arb.long(1L..Long.MAX_VALUE)) { a, b ->
        GoBackoff(minOf(a, b), maxOf(a, b))
    },
    exponentials.map { PerKindBackoff(it, FixedBackoff(7)) },
)

class BackoffLawsTest :
    FunSpec({
        test("every delay of every backoff is finite, not negative and within its ceiling, for any attempt") {
            checkAll(backoffs, retryIndex, Arb.enum<FailureKind>(), draw, nanos) { backoff, index, kind, u, wait ->
                val ceiling = backoff.ceilingNanos(index, kind)
                ceiling.shouldBeBetween(0, Long.MAX_VALUE)
                backoff.delayNanos(index, kind, previousNanos = if (index == 0) -1 else wait, draws = { u })
                    .shouldBeBetween(0, maxOf(ceiling, delayFloor(backoff)))
            }
        }

        test("a cap holds for every attempt and every draw") {
            checkAll(exponentials, retryIndex, draw) { backoff, index, u ->
                backoff.delayNanos(index, FailureKind.TRANSIENT, -1) { u }.shouldBeBetween(0, backoff.capNanos)
            }
        }

        test("an exponential ceiling never shrinks while the factor is at least 1") {
            checkAll(exponentials, Arb.int(0..2000)) { backoff, index ->
                if (backoff.factor >= 1) {
                    val now = backoff.ceilingNanos(index, FailureKind.TRANSIENT)
                    backoff.ceilingNanos(index + 1, FailureKind.TRANSIENT).shouldBeBetween(now, Long.MAX_VALUE)
                }
            }
        }

        test("decorrelated jitter stays between base and three times the previous delay, and under the cap") {
            checkAll(
                Arb.long(0L..1_000_000_000L),
                Arb.long(0L..100_000_000_000L),
                Arb.long(0L..100_000_000_000L),
                draw,
            ) { base, cap, previous, u ->
                val delay = DecorrelatedBackoff(base, cap).delayNanos(3, FailureKind.TRANSIENT, previous) { u }
                delay.shouldBeBetween(minOf(base, cap), minOf(cap, maxOf(base, 3 * previous)))
            }
        }

        test("full jitter is uniform: mean and quantiles of 100,000 draws") {
            val random = SplittableRandom(20261121)
            val ceiling = 1_000_000_000L
            val delays = LongArray(100_000) {
                Jitter.FULL.delayNanos(ceiling) { random.nextDouble() }
            }.also { it.sort() }
            // Three standard errors: ceiling / sqrt(12 n) for the mean, ceiling * sqrt(q (1 - q) / n) for a quantile.
            delays.average() shouldBe (ceiling / 2.0 plusOrMinus 2.8e6)
            for (percent in listOf(1, 10, 50, 90, 99)) {
                delays[delays.size / 100 * percent].toDouble() shouldBe (ceiling * percent / 100.0 plusOrMinus 5.0e6)
            }
        }

        test("equal jitter is uniform over the upper half") {
            val random = SplittableRandom(7)
            val delays = LongArray(100_000) { Jitter.EQUAL.delayNanos(1_000_000) { random.nextDouble() } }
            delays.min().shouldBeBetween(500_000, 500_100)
            delays.max().shouldBeBetween(999_900, 1_000_000)
            delays.average() shouldBe (750_000.0 plusOrMinus 1_400.0)
        }

        test("a negative answer of a custom backoff stops, whatever its jitter") {
            val backoff = Backoff.custom(Jitter.FULL) { retry -> if (retry.retryIndex == 0) 100.nanoseconds else null }
            backoff.delayNanos(0, FailureKind.TRANSIENT, -1) { 0.5 } shouldBe 50
            backoff.delayNanos(1, FailureKind.TRANSIENT, 50) { 0.5 } shouldBe Backoff.STOP
        }

        test("an integer draw below n is min(floor(u n), n - 1), and zero where there is nothing to draw from") {
            RandomSource { 1.0 }.nextLong(10) shouldBe 9
            RandomSource { 0.0 }.nextLong(10) shouldBe 0
            RandomSource { 0.55 }.nextLong(10) shouldBe 5
            RandomSource { 0.5 }.nextLong(0) shouldBe 0
        }
    })

/** Whole-millisecond jitters with a lower bound, and Go's, may stand above a ceiling of a few nanoseconds; none others. */
private fun delayFloor(backoff: Backoff): Long = if (backoff is GoBackoff) backoff.maxNanos else 0
