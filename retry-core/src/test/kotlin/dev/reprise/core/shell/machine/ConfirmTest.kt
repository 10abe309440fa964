package dev.reprise.core.shell.machine

import dev.reprise.core.CallOptions
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.milliseconds

private const val MS = 1_000_000L
private val full = RandomSource { 1.0 }

/**
 * A bucket that says [answers], one after the other, when it is to confirm; the last one takes the tokens as never
 * taken.
 */
private class SlowQuota(private vararg val answers: Long) : Quota by RetryQuota() {
    private val bucket = RetryQuota()
    private var asked = 0

    override val available: Int get() = bucket.available

    override fun tryTake(tokens: Int, operation: String?): Boolean = bucket.tryTake(tokens)

    override fun giveBack(tokens: Int, operation: String?): Int = bucket.refund(tokens)

    override fun confirm(tokens: Int): Long = answers[asked++].also { if (it < 0) bucket.refund(tokens) }
}

class ConfirmTest :
    FunSpec({
        val transient = MachineInput.Judged(Verdict.TRANSIENT)

        test("a quota that pays at once leaves the state as it is") {
            val machine = RetryMachine(RetryPolicy.STANDARD, RetryQuota())
            val state = machine.next(RetryState.first(), transient, 0, full)
            machine.next(state as RetryState, MachineInput.Waited, 50 * MS, full) shouldBeSameInstanceAs state
        }

        test("a quota that asks for time gets it, and the wait of the attempt is as much longer") {
            checkAll(Arb.long(1, 100 * MS)) { longer ->
                val machine = RetryMachine(RetryPolicy.STANDARD, SlowQuota(longer, 0))
                val state = machine.next(RetryState.first(), transient, 0, full) as RetryState
                val later = machine.next(state, MachineInput.Waited, 50 * MS, full) as RetryState
                later.delayNanos shouldBe state.delayNanos + longer
                later.totalDelayNanos shouldBe state.totalDelayNanos + longer
                later.attempt shouldBe state.attempt
                machine.next(later, MachineInput.Waited, 50 * MS, full) shouldBeSameInstanceAs later
            }
        }

        test("what could not be paid ends the call, and nothing comes back twice") {
            checkAll(Arb.int(0, 3)) { times ->
                val quota = SlowQuota(*LongArray(times) { MS }, Quota.UNPAID)
                val machine = RetryMachine(RetryPolicy.STANDARD, quota)
                var state = machine.next(RetryState.first(), transient, 0, full) as RetryState
                repeat(times) { state = machine.next(state, MachineInput.Waited, 0, full) as RetryState }
                machine.next(state, MachineInput.Waited, 0, full) shouldBe Decision.GiveUp(StopReason.QUOTA)
                quota.available shouldBe 500
            }
        }

        test("a quota that needs longer than the deadline leaves ends the call, and gets its tokens back") {
            val policy = RetryPolicy.STANDARD.with { deadline = 100.milliseconds }
            val quota = SlowQuota(60 * MS)
            val machine = RetryMachine(policy, quota)
            val state = machine.next(RetryState.first(0, CallOptions.DEFAULT), transient, 0, full) as RetryState
            val decision = machine.next(state, MachineInput.Waited, 50 * MS, full)
            decision shouldBe Decision.GiveUp(StopReason.DEADLINE)
            quota.available shouldBe 500
        }
    })
