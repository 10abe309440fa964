package dev.reprise.coroutines

import dev.reprise.core.NoPermit
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Waiter
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeSorted
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.longs.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.advanceUntilIdle
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlin.time.Duration.Companion.nanoseconds

/** The line in virtual time. A fresh limiter that was throttled once permits one attempt in two seconds. */
@OptIn(ExperimentalCoroutinesApi::class)
class SendRateLineTest :
    FunSpec({
        virtual("a limiter that is off is free and is not even written to") {
            val bench = Bench(this)
            val before = bench.rate.state
            bench.line.acquire(NoPermit.Fail, UNLIMITED_NANOS) shouldBe 0
            bench.line.tryAcquire() shouldBe true
            (bench.rate.state === before) shouldBe true
            currentTime shouldBe 0
        }

        virtual("a caller waits for exactly the missing part of a permit, and is told how long") {
            val bench = Bench(this).throttled()
            bench.line.acquire(NoPermit.Wait, UNLIMITED_NANOS) shouldBe 2000 * MILLI
            currentTime shouldBe 2000
        }

        virtual("a rate that is raised while a caller waits wakes it (vector 'rate raised while one caller waits')") {
            val bench = Bench(this).throttled()
            val caller = bench.caller("A")
            delay(1000)
            bench.raise(rate = 5.0, capacity = 5.0)
            caller.join()
            bench.grants shouldContainExactly listOf("A" to 1100L)
        }

        virtual("an answer is taken note of at once while every permit is being waited for") {
            val bench = Bench(this).throttled()
            repeat(10) { bench.caller("caller $it") }
            delay(1000)
            bench.answer()
            currentTime shouldBe 1000
            bench.rate.state.measuredRate shouldBe 0.8 * 2
            bench.line.waiting shouldBe 10
        }

        virtual("who comes while others wait stands behind them, though a permit is there") {
            val bench = Bench(this).throttled()
            bench.caller("first")
            bench.caller("second")
            delay(2000)
            bench.line.tryAcquire() shouldBe false
            advanceUntilIdle()
            bench.grants shouldContainExactly listOf("first" to 2000L, "second" to 4000L)
        }

        test("permits are given in the order of arrival, whatever the answers do to the rate") {
            checkAll(30, Arb.list(Arb.int(0..2000), 2..40), Arb.list(Arb.int(0..1), 0..40)) { arrivals, answers ->
                runTest {
                    val bench = Bench(this).throttled()
                    launch {
                        for (answer in answers) {
                            delay(100)
                            bench.answer(throttled = answer == 0)
                        }
                    }
                    arrivals.sorted().forEachIndexed { number, at -> bench.caller("${1000 + number}", at) }
                    advanceUntilIdle()
                    bench.grants.map { it.first }.shouldBeSorted()
                    bench.grants.size shouldBe arrivals.size
                }
            }
        }

        test("over any window, permits never exceed rate times window and capacity") {
            checkAll(30, Arb.list(Arb.int(0..3000), 2..80), Arb.int(1..50)) { arrivals, rate ->
                runTest {
                    val bench = Bench(this).throttled()
                    bench.raise(rate.toDouble(), capacity = rate / 2.0 + 1)
                    for (at in arrivals) bench.caller("any", at)
                    advanceUntilIdle()
                    val times = bench.grants.map { it.second }
                    for (from in times.indices) {
                        for (to in from until times.size) {
                            val window = (times[to] - times[from]) / 1000.0
                            (to - from + 1).toDouble() shouldBeLessThanOrEqual rate * window + rate / 2.0 + 1 + 1e-6
                        }
                    }
                }
            }
        }

        test("cancelling any of the waiters changes nobody's order and costs nobody a permit") {
            checkAll(50, Arb.list(Arb.int(0..9), 0..20).map { it.toSet() }, Arb.int(0..3500)) { cancelled, after ->
                runTest {
                    val bench = Bench(this).throttled()
                    val callers = List(10) { bench.caller("$it") }
                    delay(after.toLong())
                    testScheduler.runCurrent()
                    val served = bench.grants.size
                    for (number in cancelled) callers[number].cancelAndJoin()
                    advanceUntilIdle()
                    val order = (0..9).filter { it < served || it !in cancelled }.map { "$it" }
                    bench.grants.map { it.first } shouldContainExactly order
                    bench.grants.forEachIndexed { i, (_, at) ->
                        at shouldBeInRange (2000L * (i + 1)).let { it..it + 10 }
                    }
                    bench.line.waiting shouldBe 0
                }
            }
        }

        virtual("a call that wants no wait is refused at once and consumes nothing") {
            val bench = Bench(this).throttled()
            delay(1000)
            bench.line.acquire(NoPermit.Fail, UNLIMITED_NANOS) shouldBe SendRateLine.REFUSED
            currentTime shouldBe 1000
            bench.line.acquire(NoPermit.Wait, UNLIMITED_NANOS) shouldBe 1000 * MILLI
        }

        virtual("a wait that is foreseen to be too long is refused at once and consumes nothing") {
            val bench = Bench(this).throttled()
            val patience = NoPermit.waitAtMost((3000 * MILLI).nanoseconds)
            val first = async { bench.line.acquire(patience, UNLIMITED_NANOS) }
            val second = async { bench.line.acquire(patience, UNLIMITED_NANOS) }
            second.await() shouldBe SendRateLine.REFUSED
            currentTime shouldBe 0
            first.await() shouldBe 2000 * MILLI
        }

        virtual("a deadline that cannot be kept refuses at once, even for a call that would wait for ever") {
            val bench = Bench(this).throttled()
            bench.line.acquire(NoPermit.Wait, deadlineAt = bench.at(1999)) shouldBe SendRateLine.REFUSED
            currentTime shouldBe 0
            bench.line.acquire(NoPermit.Wait, deadlineAt = bench.at(2000)) shouldBe 2000 * MILLI
        }

        virtual("a rate that falls while a caller waits makes it give up as soon as that is known") {
            val bench = Bench(this).throttled()
            bench.raise(rate = 2.0, capacity = 1.0)
            val caller = async { bench.line.acquire(NoPermit.Wait, deadlineAt = bench.at(600)) }
            delay(100)
            bench.raise(rate = 0.1, capacity = 1.0)
            caller.await() shouldBe SendRateLine.REFUSED
            currentTime shouldBe 100
        }

        virtual(
            "a clock that is set back while callers wait makes each wait no more than once longer, and refuses nobody",
        ) {
            var offset = 7_200_000 * MILLI
            val rate = SendRate(SendRateSettings.EXACT, startedAt = offset)
            val line = SendRateLine.of(rate, { offset + currentTime * MILLI }, Waiter.DELAY)
            rate.record(throttled = true, sentAt = offset, now = offset)
            val callers = List(2) { async { line.acquire(NoPermit.Wait, UNLIMITED_NANOS) } }
            delay(1000)
            offset = 0
            for (caller in callers) caller.await() shouldBeInRange 0..4000 * MILLI
            currentTime shouldBe 6000
        }

        test("callers who wake late get the whole rate") {
            checkAll(20, Arb.int(10..2000), Arb.list(Arb.int(0..20), 1..50)) { perSecond, late ->
                runTest {
                    val settings = SendRateSettings.STEADY.toBuilder().minFillRate(perSecond.toDouble()).build()
                    val rate = SendRate(settings, startedAt = 0)
                    var wakes = 0
                    val line = SendRateLine.of(rate, { currentTime * MILLI }, { wait ->
                        delay(wait)
                        delay(late[wakes++ % late.size].toLong())
                    })
                    rate.record(throttled = true, sentAt = 0, now = 0)
                    var permits = 0
                    val callers = List(3) {
                        launch {
                            while (true) {
                                line.acquire(NoPermit.Wait, UNLIMITED_NANOS)
                                permits++
                            }
                        }
                    }
                    delay(5000)
                    callers.forEach { it.cancelAndJoin() }
                    permits shouldBeInRange perSecond * 5 * 98 / 100 - 1..perSecond * 5
                }
            }
        }

        virtual("a clock that jumps ahead gives the bucket no more than it holds") {
            var offset = 0L
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            val line = SendRateLine.of(rate, { offset + currentTime * MILLI }, Waiter.DELAY)
            rate.record(throttled = true, sentAt = 0, now = 0)
            offset = 7_200_000 * MILLI
            line.tryAcquire() shouldBe true
            line.tryAcquire() shouldBe false
        }

        virtual("says whether somebody waits, and how many; a rate that changes for nobody leaves no wake-up behind") {
            val bench = Bench(this).throttled()
            bench.line.isWaiting shouldBe false
            bench.line.rateChanged()
            val callers = List(2) { bench.caller("$it") }
            testScheduler.runCurrent()
            bench.line.isWaiting shouldBe true
            bench.line.toString() shouldBe "SendRateLine(${bench.rate}, waiting=2)"
            callers.forEach { it.cancelAndJoin() }
            bench.line.isWaiting shouldBe false
        }

        virtual("a clock that throws after the wait costs nobody a permit") {
            val rate = SendRate(SendRateSettings.EXACT, startedAt = 0)
            var throwsAt = Long.MAX_VALUE
            var hasTaken = false
            val line = SendRateLine.of(rate, {
                val now = currentTime * MILLI
                // The reading that finds the permit, and then the one that says how long it took.
                if (now >= throwsAt && hasTaken) error("clock")
                hasTaken = now >= throwsAt
                now
            }, Waiter.DELAY)
            rate.record(throttled = true, sentAt = 0, now = 0)
            throwsAt = 2000 * MILLI
            shouldThrow<IllegalStateException> { line.acquire(NoPermit.Wait, UNLIMITED_NANOS) }.message shouldBe "clock"
            rate.tryTake(currentTime * MILLI) shouldBe true
            line.waiting shouldBe 0
        }

        virtual("who is not served when its time is up leaves the line and holds nobody up") {
            val bench = Bench(this).throttled()
            bench.raise(rate = 1.0, capacity = 1.0)
            bench.caller("first")
            val second = async { bench.line.acquire(NoPermit.waitAtMost((2500 * MILLI).nanoseconds), UNLIMITED_NANOS) }
            delay(1)
            bench.caller("third")
            delay(99)
            bench.raise(rate = 0.1, capacity = 1.0)
            second.await() shouldBe SendRateLine.REFUSED
            currentTime shouldBe 2500
            advanceUntilIdle()
            bench.grants shouldContainExactly listOf("first" to 9100L, "third" to 19100L)
        }
    })

private const val MILLI = 1_000_000L

/** A line and its rate in the virtual time of [scope], and who was granted a permit when. */
@OptIn(ExperimentalCoroutinesApi::class)
private class Bench(private val scope: TestScope) {
    val rate = SendRate(SendRateSettings.EXACT, startedAt = START)
    val line = SendRateLine.of(rate, { now() }, Waiter.DELAY)
    val grants = mutableListOf<Pair<String, Long>>()

    fun answer(throttled: Boolean = false) = rate.record(throttled, sentAt = now(), now = now())

    /** Turns the limiter on: half a permit a second, an empty bucket. */
    fun throttled(): Bench = apply { answer(throttled = true) }

    fun raise(rate: Double, capacity: Double) {
        this.rate.update(SendRateSettings.EXACT.toBuilder().minFillRate(rate).minCapacity(capacity).build())
        answer()
    }

    fun caller(name: String, at: Int = 0): Job = scope.launch {
        delay(at.toLong())
        line.acquire(NoPermit.Wait, UNLIMITED_NANOS)
        grants += name to scope.currentTime
    }

    /** The clock's reading after [millis]: it does not begin at zero. */
    fun at(millis: Long): Long = START + millis * MILLI

    private fun now() = at(scope.currentTime)
}

private const val START = 3_600_000 * MILLI
