package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.DeadlineException
import dev.reprise.core.Recorder
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Shell
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.repeated
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration.Companion.nanoseconds

class TooLateTest :
    FunSpec({
        test("a call that begins after its deadline makes no attempt and ends for the deadline, whatever the policy") {
            checkAll(Arb.int(1..3), Arb.int(0..1), Arb.boolean(), Arb.boolean(), Arb.element(-5L, 0L)) {
                    attempts,
                    capacity,
                    isAdaptive,
                    isOutcome,
                    left,
                ->
                val policy = RetryPolicy {
                    maxAttempts = attempts
                    quota = TokenBucketSettings { this.capacity = capacity * 100 + 1 }
                    classifier = Classifier.NONE
                    if (isAdaptive) sendRate = SendRateSettings.EXACT
                }
                val told = Recorder()
                val shell = Shell(policy, listOf(told))
                val rate = policy.sendRate?.let { SendRate(it, 0) }
                val setup = CallSetup(policy, shell.quota, rate, listOf(told), { 7 }, { 1.0 })
                val options = CallOptions.DEFAULT.within(left)
                val call = setup.begin(options, ResultKind.VALUE, isOutcome)
                call.next shouldBe NextStep.DONE
                val outcome = call.outcome().shouldBeInstanceOf<RetryOutcome.Failure>()
                outcome.reason shouldBe StopReason.DEADLINE
                outcome.attempts shouldBe 0
                val failure = outcome.failure.shouldBeInstanceOf<DeadlineException>()
                failure.attempts shouldBe 0
                if (!isOutcome) call.failure() shouldBe failure
                shell.quota!!.available shouldBe policy.quota!!.capacity
                told.events.map { it::class } shouldBe
                    listOf(RetryEvent.CallStarted::class, RetryEvent.CallGaveUp::class)
            }
        }

        test(
            "an attempt is not made once its wait has lasted until the deadline, and the caller sees his own failure",
        ) {
            checkAll(Arb.int(2..4), Arb.int(0..3), Arb.int(0..3), Arb.boolean(), Arb.boolean(), Arb.boolean()) {
                    attempts,
                    lateBackoff,
                    latePermit,
                    isAdaptive,
                    isOutcome,
                    isStop,
                ->
                val policy = RetryPolicy {
                    maxAttempts = attempts
                    backoff = Backoff.fixed(8.nanoseconds)
                    if (isStop) stopAfter = 10.nanoseconds else deadline = 10.nanoseconds
                    classifier = Classifier.onException(Exception::class.java)
                    if (isAdaptive) sendRate = SendRateSettings.EXACT
                }
                val told = Recorder()
                val quota = RetryQuota()
                val rate = policy.sendRate?.let { SendRate(it, 0) }
                var now = 5L
                val setup = CallSetup(policy, quota, rate, listOf(told), { now }, { 1.0 })
                var call = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE, isOutcome)
                val failure = Exception("own")
                var permits = 0
                while (call.next != NextStep.DONE) {
                    when (call.next) {
                        NextStep.WAIT -> {
                            now += call.delayNanos + lateBackoff
                            call.waited()
                        }

                        NextStep.PERMIT -> {
                            val waited = if (permits++ == 0) 0 else latePermit
                            now += waited
                            call.permitted(waited.toLong())
                        }

                        else -> {
                            call.attemptStarts()
                            call = call.failed(failure, Thrown.FAILURE).repeated()
                        }
                    }
                }
                val isLate = lateBackoff + (if (isAdaptive) latePermit else 0) >= 2
                val outcome = call.outcome().shouldBeInstanceOf<RetryOutcome.Failure>()
                outcome.attempts shouldBe if (isLate) 1 else 2
                outcome.failure shouldBeSameInstanceAs failure
                val late = if (isStop) StopReason.TIME else StopReason.DEADLINE
                outcome.reason shouldBe if (!isLate && attempts == 2) StopReason.ATTEMPTS else late
                quota.available shouldBe if (isLate) 500 else 486
                told.events.count { it is RetryEvent.AttemptStarted } shouldBe outcome.attempts
                told.events.filterIsInstance<RetryEvent.CallGaveUp>().single().attempts shouldBe outcome.attempts
            }
        }

        test("what a result's release takes is time: no retry is made, or waited for, that would have none") {
            checkAll(
                Arb.element(ResultKind.CLOSEABLE, ResultKind.CONNECTION, ResultKind.RESPONSE),
                Arb.int(0..12),
                Arb.boolean(),
                Arb.boolean(),
            ) { kind, releaseNanos, isAdaptive, isOutcome ->
                var now = 0L
                val quota = RetryQuota()
                val told = Recorder()
                val policy = RetryPolicy {
                    backoff = Backoff.fixed(5.nanoseconds)
                    deadline = 10.nanoseconds
                    classifier = Classifier.results { if (it == "bad") Verdict.TRANSIENT else null }
                    if (isAdaptive) sendRate = SendRateSettings.EXACT
                }
                val rate = policy.sendRate?.let { SendRate(it, 0) }
                val setup = CallSetup(policy, quota, rate, listOf(told), { now }, { 1.0 })
                var call: RetryCall? = setup.begin(CallOptions.DEFAULT, kind, isOutcome)
                var delivered: Any? = null
                while (call != null && call.next != NextStep.DONE) {
                    when (call.next) {
                        NextStep.WAIT -> {
                            now += call.delayNanos
                            call.waited()
                        }

                        NextStep.PERMIT -> call.permitted(0)

                        NextStep.DISCARD -> {
                            call.rejected() shouldBe "bad"
                            now += releaseNanos
                            call.discarded()
                        }

                        else -> {
                            val attempt = call.attemptStarts()
                            delivered = if (attempt.number == 1) "bad" else "good"
                            call = call.completed(delivered)?.repeated()
                        }
                    }
                }
                val isLate = releaseNanos >= 5
                told.events.count { it is RetryEvent.AttemptStarted } shouldBe if (isLate) 1 else 2
                quota.available shouldBe 500
                if (!isLate) {
                    delivered shouldBe "good"
                    return@checkAll
                }
                val outcome = call!!.outcome()!!
                outcome.reason shouldBe StopReason.DEADLINE
                outcome.attempts shouldBe 1
                outcome.totalDelay shouldBe (if (kind == ResultKind.CLOSEABLE) 5 else 0).nanoseconds
                // Released before the wait, it ends before a wait that leads nowhere.
                now shouldBe releaseNanos + if (kind == ResultKind.CLOSEABLE) 5L else 0L
                if (kind == ResultKind.RESPONSE) {
                    outcome.shouldBeInstanceOf<RetryOutcome.BadResult<*>>().value shouldBe "bad"
                } else {
                    outcome.shouldBeInstanceOf<RetryOutcome.Failure>().failure.shouldBeInstanceOf<DeadlineException>()
                }
            }
        }

        test("stopAfter ends no attempt: one that goes on beyond it succeeds, and one that fails then is the last") {
            checkAll(Arb.int(0..30), Arb.boolean(), Arb.boolean()) { took, succeeds, isOutcome ->
                var now = 0L
                val policy = RetryPolicy {
                    backoff = Backoff.fixed(1.nanoseconds)
                    stopAfter = 10.nanoseconds
                    maxAttempts = 2
                }
                val setup = CallSetup(policy, null, null, emptyList(), { now }, { 1.0 })
                val call = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE, isOutcome)
                call.deadlineAt shouldBe Long.MAX_VALUE
                call.attemptStarts()
                now += took
                if (succeeds) {
                    (call.completed("late")?.value() ?: "late").toString() shouldContain "late"
                    return@checkAll
                }
                val failure = IOException("own")
                val after = call.failed(failure, Thrown.FAILURE).repeated()
                if (took + 1 < 10) {
                    after.next shouldBe NextStep.WAIT
                } else {
                    val outcome = after.outcome().shouldBeInstanceOf<RetryOutcome.Failure>()
                    outcome.reason shouldBe StopReason.TIME
                    outcome.failure shouldBeSameInstanceAs failure
                }
            }
        }

        test("a permit that comes at the deadline is given back") {
            val policy = RetryPolicy {
                deadline = 10.nanoseconds
                sendRate = SendRateSettings.EXACT
            }
            val rate = SendRate(SendRateSettings.EXACT, 0).apply { record(throttled = true, sentAt = 0, now = 1) }
            var now = 10_000_000_000L
            val call = CallSetup(policy, null, rate, emptyList(), { now }, { 1.0 })
                .begin(CallOptions.DEFAULT, ResultKind.VALUE)
            val before = rate.state.tokensAt(now)
            rate.tryTake(now) shouldBe true
            now += 10
            call.permitted(10)
            call.next shouldBe NextStep.DONE
            call.failure().shouldBeInstanceOf<DeadlineException>()
            rate.state.tokensAt(now) shouldBe (before plusOrMinus 1e-6)
        }
    })
