package dev.reprise.core.call

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.Verdict
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
