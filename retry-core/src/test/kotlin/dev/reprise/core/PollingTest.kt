package dev.reprise.core

import dev.reprise.core.shell.call.CallSetup
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.INFINITE
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds

class PollingTest :
    FunSpec({
        fun Polling.policy(base: RetryPolicy = RetryPolicy.STANDARD) = policyFor(base) { it == "done" }

        /** The times, in ms, of the looks of a poll whose looks end with [outcomes] and then with "not yet". */
        fun looks(polling: Polling, vararg outcomes: Any): List<Long> {
            var now = 0L
            val setup = CallSetup(polling.policy(), null, null, emptyList(), { now }, { 1.0 })
            val call = TestCall(setup) { now += it }
            val times = mutableListOf<Long>()
            while (!call.isOver && times.size < 1000) {
                call.begins()
                times += now / 1_000_000
                call.ended(outcomes.getOrNull(times.size - 1) ?: "not yet")
            }
            return times
        }

        test("sixty looks a second apart are sixty looks: no quota and no count ends them") {
            looks(Polling.every(1.seconds, 1.minutes)) shouldBe (0L until 60_000L step 1000).toList()
        }

        test("a growing interval doubles up to its cap") {
            looks(Polling.every(1.seconds, 25.seconds).growingTo(5.seconds)) shouldBe
                listOf<Long>(0, 1000, 3000, 7000, 12000, 17000, 22000)
        }

        test("a transient failure is followed by the interval, a throttle by four, any other ends the poll") {
            val every = Polling.every(500.milliseconds, 1.minutes)
            looks(every, IOException(), "done") shouldBe listOf<Long>(0, 500)
            looks(every, Throttled(), "done") shouldBe listOf<Long>(0, 2000)
            looks(Polling.every(10.milliseconds, 1.minutes), Throttled(), "done") shouldBe listOf<Long>(0, 1000)
            looks(every, IllegalStateException()) shouldBe listOf<Long>(0)
        }

        test("after a throttle a growing interval is as grown as it was, and never shorter than without one") {
            val every = Polling.every(500.milliseconds, 10.minutes).growingTo(15.seconds)
            val quiet = List(6) { "not yet" }
            looks(every, *quiet.toTypedArray(), "done").zipWithNext { a, b -> b - a } shouldBe
                listOf<Long>(500, 1000, 2000, 4000, 8000, 15_000)
            looks(every, "not yet", Throttled(), *quiet.drop(2).toTypedArray(), "done").zipWithNext { a, b ->
                b - a
            } shouldBe listOf<Long>(500, 4000, 2000, 4000, 8000, 15_000)
            looks(every, *quiet.drop(1).toTypedArray(), Throttled(), "done").zipWithNext { a, b -> b - a } shouldBe
                listOf<Long>(500, 1000, 2000, 4000, 8000, 15_000)
        }

        test("no wait is begun that would cross the deadline, and none is left out that would not") {
            checkAll(Arb.long(1L..1_000_000), Arb.long(1L..100_000_000)) { interval, deadline ->
                if (deadline > interval && deadline / interval < 900) {
                    val looks = looks(Polling.every(interval.nanoseconds, deadline.nanoseconds)).size.toLong()
                    looks shouldBe (deadline - 1) / interval + 1
                }
            }
        }

        test("what the base policy says of exceptions, attempts' timeouts and traces stays") {
            val base = RetryPolicy {
                attemptTimeout = 2.seconds
                rejectOn<IOException>()
                trace = false
            }
            val policy = Polling.every(1.seconds, 1.minutes).policy(base)
            policy.attemptTimeoutNanos(1) shouldBe base.attemptTimeoutNanos(1)
            policy.trace shouldBe false
            policy.classifier.classifyFailure(IOException()) shouldBe Verdict.Reject
            policy.onBadResult shouldBe OnBadResult.THROW
        }

        test("a poll has its own limits alone, and a hedge only if it can act within them") {
            val base = RetryPolicy {
                stopAfter = 1.seconds
                hedge = Hedge.after(30.seconds)
            }
            val policy = Polling.every(1.seconds, 1.minutes).policy(base)
            policy.stopAfter shouldBe null
            policy.hedge shouldBe base.hedge
            Polling.every(1.seconds, 30.seconds).policy(base).hedge shouldBe null
        }

        test("settings that cannot be meant are refused") {
            fun refusal(make: () -> Polling) = shouldThrow<IllegalArgumentException> { make() }.message
            refusal { Polling.every(0.seconds, 1.seconds) } shouldBe "interval must be above zero: 0s"
            refusal { Polling.every(1.seconds, 1.seconds) } shouldBe "deadline must be above the interval: 1s"
            refusal { Polling.every(2.seconds, 1.minutes).growingTo(1.seconds) } shouldBe
                "cap must not be below the interval of 2s: 1s"
            Polling.every(1.seconds, INFINITE) shouldBe Polling.every(Duration.ofSeconds(1), null)
            "${Polling.every(1.seconds, 1.minutes).growingTo(Duration.ofSeconds(5))}" shouldBe
                "every 1s, growing to 5s, for 60s"
        }
    }) {
    private class Throttled :
        RuntimeException(),
        RetryableFailure {
        override val failureKind: FailureKind get() = FailureKind.THROTTLING
    }
}
