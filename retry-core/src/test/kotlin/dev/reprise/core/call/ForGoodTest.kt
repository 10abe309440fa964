package dev.reprise.core.call

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.Exhaustive
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.kotest.property.exhaustive.boolean
import io.kotest.property.exhaustive.enum
import io.kotest.property.exhaustive.of
import kotlin.time.Duration.Companion.milliseconds

/** What a shell says about repeating holds whatever the policy says. */
class ForGoodTest :
    FunSpec({
        fun failing(kind: FailureKind, unsent: Boolean = false) = RetryPolicy {
            maxAttempts = 10
            backoff = Backoff.fixed(1.milliseconds)
            onFailure { Verdict.Retry(kind, "made to fail", unsent) }
        }

        fun RetryPolicy.begin(quota: RetryQuota?, options: CallOptions = CallOptions.DEFAULT) =
            CallSetup(this, quota, null, emptyList(), { 0 }, { 0.5 }).begin(options, ResultKind.VALUE)

        fun RetryCall.fails() = failed(IllegalStateException("failed"), Thrown.FAILURE)

        /** Makes [count] attempts that fail and are retried. */
        fun RetryCall.afterRetries(count: Int): RetryCall {
            var call = this
            repeat(count) {
                call.attemptStarts()
                call = call.fails()
                call.waited()
            }
            call.attemptStarts()
            return call
        }

        test("an attempt that is the last one for good is not followed by another, and pays for none") {
            checkAll(Arb.int(0..8), Exhaustive.enum<FailureKind>(), Exhaustive.boolean()) { before, kind, unsent ->
                val quota = RetryQuota()
                val call = failing(kind, unsent).begin(quota).afterRetries(before)
                val paid = quota.available

                val ended = call.forGood().fails()

                ended.next shouldBe NextStep.DONE
                quota.available shouldBe paid
                val trace = RetryTrace.of(ended.failure()!!)!!
                trace.reason shouldBe StopReason.NOT_REPLAYABLE
                trace.attempts shouldBe before + 1
            }
        }

        test("an attempt that is the last one for good may still be accepted") {
            checkAll(Arb.int(0..8)) { before ->
                val quota = RetryQuota()
                val call = failing(FailureKind.TRANSIENT).begin(quota).afterRetries(before)

                call.forGood().completed("good") shouldBe null
            }
        }

        test("a rejected result of work that may not be repeated ends the call, and pays for no retry") {
            checkAll(Arb.int(0..8), Exhaustive.enum<FailureKind>(), Exhaustive.boolean()) { before, kind, mayRepeat ->
                val quota = RetryQuota()
                val policy = RetryPolicy {
                    maxAttempts = 10
                    backoff = Backoff.fixed(1.milliseconds)
                    onFailure { Verdict.Retry(kind, "made to fail") }
                    onResult { Verdict.Retry(kind, "bad") }
                }
                val call = policy.begin(quota).afterRetries(before)
                val paid = quota.available

                val next = call.completed("bad", Work(mayRepeat))!!

                next.next shouldBe if (mayRepeat) NextStep.WAIT else NextStep.DONE
                if (!mayRepeat) {
                    quota.available shouldBe paid
                    next.value() shouldBe "bad"
                    next.outcome()!!.reason shouldBe StopReason.NOT_REPLAYABLE
                }
            }
        }

        test("work is asked whether it may be repeated only if its result would be followed by another attempt") {
            checkAll(Exhaustive.enum<Repeat>(), Exhaustive.of("good", "bad"), Arb.int(1..3)) { repeat, result, most ->
                val policy = RetryPolicy {
                    maxAttempts = most
                    onResult { if (it == "bad") Verdict.TRANSIENT else null }
                }
                val work = Work(mayRepeat = false)
                val call = policy.begin(null, CallOptions.DEFAULT.repeated(repeat))
                call.attemptStarts()

                call.completed(result, work)

                work.asked shouldBe if (repeat == Repeat.SAFE && result == "bad" && most > 1) 1 else 0
            }
        }

        test("work that throws when it is asked ends the call with what it throws") {
            val broken = IllegalStateException("broken")
            val policy = RetryPolicy { onResult { Verdict.TRANSIENT } }
            val asked = object : Repeatable {
                override fun mayRepeat() = throw broken
            }
            policy.begin(RetryQuota()).completed("bad", asked)!!.failure() shouldBe broken
        }

        test("a call is repeated if its options allow it, or if nothing was sent and they do not forbid it") {
            checkAll(Exhaustive.enum<Repeat>(), Exhaustive.boolean(), Exhaustive.of(1, 5)) { repeat, unsent, before ->
                val policy = failing(FailureKind.TRANSIENT, unsent)
                val isRepeated = repeat == Repeat.SAFE || (repeat == Repeat.IF_UNSENT && unsent)
                val call = policy.begin(RetryQuota(), CallOptions.DEFAULT.repeated(repeat))
                    .afterRetries(if (isRepeated) before else 0)

                call.fails().next shouldBe if (isRepeated) NextStep.WAIT else NextStep.DONE
            }
        }
    })

private class Work(private val mayRepeat: Boolean) : Repeatable {
    var asked = 0

    override fun mayRepeat(): Boolean {
        asked++
        return mayRepeat
    }
}
