package dev.reprise.core.shell.call

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.Repeatable
import dev.reprise.core.shell.quota.RetryQuota
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

/** Work that may not be repeated is not, whatever the policy says, and is asked only when it matters. */
class RepeatableTest :
    FunSpec({
        fun failing(kind: FailureKind, unsent: Boolean = false) = RetryPolicy {
            maxAttempts = 10
            backoff = Backoff.fixed(1.milliseconds)
            onFailure { Verdict.Retry(kind, "made to fail", unsent) }
            onResult { if (it == "bad") Verdict.Retry(kind, "bad", unsent) else null }
        }

        fun RetryPolicy.begin(quota: RetryQuota?, options: CallOptions = CallOptions.DEFAULT) =
            CallSetup(this, quota, null, emptyList(), { 0 }, { 0.5 }).begin(options, ResultKind.VALUE)

        fun RetryCall.fails() = failed(FAILURE, Thrown.FAILURE)

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

        test("an attempt of work that may not be repeated is followed by no other, and pays for none") {
            checkAll(Arb.int(0..8), Exhaustive.enum<FailureKind>(), Exhaustive.enum<End>(), Exhaustive.boolean()) {
                    before,
                    kind,
                    end,
                    mayRepeat,
                ->
                val quota = RetryQuota()
                val call = failing(kind).begin(quota).afterRetries(before)
                val paid = quota.available

                val next = end.report(call, Work(mayRepeat))!!

                next.next shouldBe if (mayRepeat) NextStep.WAIT else NextStep.DONE
                if (!mayRepeat) {
                    quota.available shouldBe paid
                    val outcome = next.outcome()!!
                    outcome.reason shouldBe StopReason.NOT_REPLAYABLE
                    outcome.attempts shouldBe before + 1
                    if (end == End.RESULT) next.value() shouldBe "bad" else next.failure() shouldBe FAILURE
                }
            }
        }

        test("an attempt of work that may not be repeated may still be accepted") {
            checkAll(Arb.int(0..8)) { before ->
                val call = failing(FailureKind.TRANSIENT).begin(RetryQuota()).afterRetries(before)

                call.completed("good", Work(mayRepeat = false)) shouldBe null
            }
        }

        test("work is asked whether it may be repeated once, and only if another attempt would follow") {
            checkAll(Exhaustive.enum<Repeat>(), Exhaustive.enum<End>(), Exhaustive.boolean(), Arb.int(1..3)) {
                    repeat,
                    end,
                    isBad,
                    most,
                ->
                val policy = RetryPolicy {
                    maxAttempts = most
                    onResult { if (isBad && it == "bad") Verdict.TRANSIENT else null }
                    onFailure { if (isBad) Verdict.TRANSIENT else null }
                }
                val work = Work(mayRepeat = false)
                val call = policy.begin(null, CallOptions.DEFAULT.repeated(repeat))
                call.attemptStarts()

                end.report(call, work)

                work.asked shouldBe if (repeat == Repeat.SAFE && isBad && most > 1) 1 else 0
            }
        }

        test("work that throws when it is asked ends the call with what it throws") {
            val broken = IllegalStateException("broken")
            for (end in End.entries) {
                val call = failing(FailureKind.TRANSIENT).begin(RetryQuota())
                end.report(call) { throw broken }!!.failure() shouldBe broken
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

private val FAILURE = IllegalStateException("failed")

/** How an attempt ends that is to be retried. */
private enum class End(val report: (RetryCall, Repeatable) -> RetryCall?) {
    RESULT({ call, work -> call.completed("bad", work) }),
    FAILED({ call, work -> call.failed(FAILURE, Thrown.FAILURE, work) }),
}

private class Work(private val mayRepeat: Boolean) : Repeatable {
    var asked = 0

    override fun mayRepeat(): Boolean {
        asked++
        return mayRepeat
    }
}
