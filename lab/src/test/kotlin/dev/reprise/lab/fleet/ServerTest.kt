package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

private const val SECOND = 1_000_000_000L
private const val MILLI = 1_000_000L

private fun one(value: Double) = listOf(0.0 to value)

private fun always(value: Double) = Course(one(value))

/** The moments at which [admission] admits, of requests at [arrivals]. */
private fun admitted(admission: Admission, arrivals: List<Long>) = arrivals.filter { admission.admits(it) }

/** The mean wait of Poisson arrivals at [load] of the capacity 1/s, in s. */
private fun meanWait(load: Double, workers: Int, isRandom: Boolean): Double {
    val chance = Chance(5)
    val queue = Workers(QueueModel(one(1.0), workers, Int.MAX_VALUE, isRandom), emptyList(), chance.split())
    val work = workers.toDouble()
    var now = 0L
    var total = 0.0
    repeat(CUSTOMERS) {
        now += nanosOf(chance.exponential(1 / load))
        total += (queue.done(now) - now) / NANOS
    }
    // What it stays, less what the work takes.
    return total / CUSTOMERS - work
}

private const val CUSTOMERS = 400_000

/** The wait of M/M/c in s, at [load] of the capacity 1/s: Erlang C times 1 / (c mu - lambda). */
private fun erlangWait(load: Double, workers: Int): Double {
    val offered = load * workers
    val terms = (0..workers).runningFold(1.0) { term, k -> term * offered / (k + 1) }
    val queued = terms[workers] / (1 - load)
    return queued / (terms.take(workers).sum() + queued) / (1 - load)
}

class ServerTest :
    FunSpec({
        test("a queue with one worker and random work waits as M/M/1 does: rho / (1 - rho)") {
            for (load in listOf(0.5, 0.8)) {
                val expected = load / (1 - load)
                meanWait(load, workers = 1, isRandom = true) shouldBe (expected plusOrMinus expected * 0.05)
                erlangWait(load, 1) shouldBe (expected plusOrMinus 1e-9)
            }
        }

        test("a queue with several workers waits as M/M/c does: Erlang C") {
            for (workers in listOf(2, 10)) {
                val expected = erlangWait(0.8, workers)
                meanWait(0.8, workers, isRandom = true) shouldBe (expected plusOrMinus expected * 0.06)
            }
        }

        test("a queue with work that is always the same waits as M/D/1 does: half of that") {
            for (load in listOf(0.5, 0.8)) {
                val expected = load / (1 - load) / 2
                meanWait(load, workers = 1, isRandom = false) shouldBe (expected plusOrMinus expected * 0.05)
            }
        }

        test("a fixed window admits its limit in each window, whatever comes") {
            checkAll(Arb.list(Arb.int(0..4_999), 0..200), Arb.int(1..20)) { millis, limit ->
                val arrivals = millis.sorted().map { it * MILLI }
                val admitted = admitted(FixedWindow(always(limit.toDouble()), SECOND), arrivals)
                val inWindow = { all: List<Long>, window: Long -> all.count { it / SECOND == window } }
                for (window in 0L..4) inWindow(admitted, window) shouldBe minOf(limit, inWindow(arrivals, window))
            }
        }

        test("a fixed window lets twice its limit pass around its edge, and a sliding one never does") {
            val arrivals = List(10) { 900 * MILLI + it } + List(10) { 1_000 * MILLI + it }
            admitted(FixedWindow(always(10.0), SECOND), arrivals).size shouldBe 20
            admitted(SlidingWindow(always(10.0), SECOND), arrivals).size shouldBe 10
        }

        test("a sliding window admits at most its limit in any span of its length") {
            checkAll(Arb.list(Arb.int(0..4_999), 0..200), Arb.int(1..20)) { millis, limit ->
                val arrivals = millis.sorted().map { it * MILLI }
                val admitted = admitted(SlidingWindow(always(limit.toDouble()), SECOND), arrivals)
                for (start in admitted) {
                    admitted.count { it >= start && it < start + SECOND } shouldBeLessThanOrEqualTo
                        limit
                }
            }
        }

        test("a window that counts refusals stays shut for those who do not hold back") {
            val arrivals = List(500) { it * 10 * MILLI }
            admitted(SlidingWindow(always(50.0), SECOND, countsRefusals = true), arrivals).size shouldBe 50
            admitted(SlidingWindow(always(50.0), SECOND), arrivals).size shouldBe 250
        }

        test("a token bucket admits its burst and its rate, and no more") {
            checkAll(Arb.list(Arb.int(0..4_999), 0..300), Arb.int(1..30), Arb.int(1..50)) { millis, burst, rate ->
                val arrivals = millis.sorted().map { it * MILLI }
                val admitted = admitted(TokenBucket(always(rate.toDouble()), burst.toDouble()), arrivals)
                for ((i, from) in admitted.withIndex()) {
                    for ((j, to) in admitted.withIndex().drop(i)) {
                        (j - i + 1.0) shouldBeLessThanOrEqualTo burst + rate * (to - from) / NANOS + 1e-6
                    }
                }
            }
            admitted(TokenBucket(always(100.0), 10.0), List(1_000) { it * MILLI }).size shouldBe 109
        }

        test("a full queue turns requests away, and one place is free when one is begun") {
            val queue = Workers(QueueModel(one(1.0), 1, 2, isRandom = false), emptyList(), Chance(1))
            List(4) { queue.done(0) } shouldBe listOf(SECOND, 2 * SECOND, 3 * SECOND, Workers.FULL)
            queue.done(SECOND) shouldBe 4 * SECOND
            queue.done(SECOND) shouldBe Workers.FULL
        }

        test("a freeze delays what has begun and what waits by what is left of it") {
            val ice = listOf(500 * MILLI until 10 * SECOND)
            val queue = Workers(QueueModel(one(1.0), 1, 10, isRandom = false), ice, Chance(1))
            queue.done(0) shouldBe 10_500 * MILLI
            queue.done(2 * SECOND) shouldBe 11_500 * MILLI
            queue.done(20 * SECOND) shouldBe 21 * SECOND
        }

        test("the sum of a course is the sum over its parts") {
            val course = Course(listOf(0.0 to 2.0, 1.0 to 4.0))
            course.sum(0, 3 * SECOND) shouldBe 10.0
            always(2.0).sum(5, 5) shouldBe 0.0
        }
    })
