package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.machine.CopyDue
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeBetween
import io.kotest.matchers.shouldBe
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** Answers each confirmation with [confirms], or throws. */
private class ConfirmingQuota(private val confirms: Long, private val throwsAtOnce: Boolean = false) : SharedQuota {
    val confirmed = mutableListOf<Int>()
    override val capacity: Int get() = 500
    override var available: Int = 500
        private set

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        check(!throwsAtOnce) { "broken" }
        available -= tokens
        return true
    }

    override fun confirm(tokens: Int): Long {
        check(confirms != THROWS) { "broken" }
        confirmed += tokens
        return confirms
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        available += tokens
        return tokens
    }

    override fun succeeded(tokens: Int, operation: String?): Int = 0

    companion object {
        const val THROWS = -2L
    }
}

/** The copies of a client, paid for by the machine, as in a race. */
private class Copies(hedge: Hedge, quota: Quota?) {
    private val machine = RetryMachine(RetryPolicy.STANDARD, quota)
    val hedges = Hedges(hedge, quota)

    fun refusal(operation: String?, now: Long, takesPermit: () -> Boolean) = refusal(operation, now, takesPermit) {}

    fun refusal(operation: String?, now: Long, takesPermit: () -> Boolean, putsBack: () -> Unit): HedgeRefusal? {
        val state = RetryState.first(now, CallOptions { this.operation = operation })
        val pays = { machine.next(state, CopyDue, now, { 1.0 }) is RetryState }
        return hedges.refusal(now, takesPermit, putsBack, pays)
    }
}

class HedgesTest :
    FunSpec({
        fun hedges(hedge: Hedge, quota: Quota? = null, calls: Int = 1_000) =
            Copies(hedge, quota).also { all -> repeat(calls) { all.hedges.budget.callBegins() } }

        test("a copy is sent only if the quota confirms its tokens at once; otherwise nothing is taken") {
            for (confirms in listOf(0, SharedQuota.UNPAID, 1, 5_000_000)) {
                val quota = ConfirmingQuota(confirms)
                val all = hedges(Hedge(), quota)
                val copies = all.hedges.budget.copies
                var permits = 1
                val refusal = all.refusal("a", 0, takesPermit = { permits-- > 0 }, putsBack = { permits++ })
                val isPaid = confirms == 0L
                refusal shouldBe if (isPaid) null else HedgeRefusal.QUOTA
                quota.confirmed shouldBe listOf(14)
                quota.available shouldBe if (isPaid) 486 else 500
                permits shouldBe if (isPaid) 0 else 1
                all.hedges.budget.copies shouldBe if (isPaid) copies - 1 else copies
            }
        }

        test("each no is told, and takes nothing") {
            val quota = RetryQuota(500, available = 249)
            val all = hedges(Hedge(), quota)
            all.refusal("a", 0) { error("not asked") } shouldBe HedgeRefusal.QUOTA
            quota.available shouldBe 249
            quota.refund(1)
            all.refusal("a", 0) { false } shouldBe HedgeRefusal.SEND_RATE
            quota.available shouldBe 250
            all.hedges.serverIsBusy(now = 0, nanos = 100)
            all.hedges.serverIsBusy(now = 0, nanos = 50)
            all.refusal("a", 99) { error("not asked") } shouldBe HedgeRefusal.SERVER_BUSY
            all.refusal("a", 100) { true } shouldBe null
            quota.available shouldBe 236
        }

        test("a busy server is left alone for as long as it asked, on any clock") {
            for (start in listOf(0, Long.MAX_VALUE - 50, Long.MIN_VALUE)) {
                val all = hedges(Hedge())
                all.hedges.serverIsBusy(start, nanos = 100)
                all.refusal("a", start + 99) { error("not asked") } shouldBe HedgeRefusal.SERVER_BUSY
                all.refusal("a", start + 100) { true } shouldBe null
            }
        }

        test("a clock that is set back makes a busy server's time begin anew, and no longer") {
            val all = hedges(Hedge())
            val hour = 3_600_000 * MILLI
            all.hedges.serverIsBusy(hour, nanos = 100)
            all.refusal("a", 0) { error("not asked") } shouldBe HedgeRefusal.SERVER_BUSY
            all.refusal("a", 99) { error("not asked") } shouldBe HedgeRefusal.SERVER_BUSY
            all.refusal("a", 100) { true } shouldBe null
        }

        test("a server that asked for ever is busy for ever") {
            val all = hedges(Hedge())
            all.hedges.serverIsBusy(7, nanos = Long.MAX_VALUE)
            all.hedges.serverIsBusy(8, nanos = 1)
            all.refusal("a", 3_600_000 * MILLI) { error("not asked") } shouldBe HedgeRefusal.SERVER_BUSY
        }

        test("half of a quota is half, whatever its capacity") {
            for (capacity in listOf(Int.MAX_VALUE, Int.MAX_VALUE - 1, 1_001)) {
                val half = capacity - capacity / 2
                hedges(Hedge(), RetryQuota(capacity, half - 1)).hedges.isQuotaHalfFull() shouldBe false
                hedges(Hedge(), RetryQuota(capacity, half)).hedges.isQuotaHalfFull() shouldBe true
            }
        }

        /** A quota of a client that made [calls] calls in the last seconds, full. */
        fun steady(calls: Int): Quota {
            var now = 0L
            val quota = SteadyQuotaSettings.DEFAULT.newQuota({ now })
            repeat(calls) { quota.succeeded(2, "op") }
            now = 5_000 * MILLI
            quota.tryTake(14, "op") shouldBe true
            quota.giveBack(14, "op")
            quota.available shouldBe calls
            return quota
        }

        test("a full quota pays for a copy of any operation, whatever the share of one is") {
            for (calls in 41..500) {
                withClue(calls) {
                    hedges(Hedge.after(50.milliseconds), steady(calls)).refusal("op", 0) { true } shouldBe null
                }
            }
        }

        test("an operation that has spent its share gets no copy, and the others of a quota that is half full do") {
            val quota = steady(203)
            repeat(7) { quota.tryTake(14, "op") shouldBe true }
            val all = hedges(Hedge.after(50.milliseconds), quota)
            all.refusal("op", 0) { true } shouldBe HedgeRefusal.QUOTA
            quota.available shouldBe 105
            all.refusal("other", 0) { true } shouldBe null
        }

        test("a quota that throws has nothing taken for the copy, whichever of its methods it is") {
            for (confirms in listOf(ConfirmingQuota.THROWS, 0)) {
                val quota = ConfirmingQuota(confirms, throwsAtOnce = confirms == 0L)
                val all = hedges(Hedge(), quota)
                val copies = all.hedges.budget.copies
                var permits = 1
                shouldThrow<IllegalStateException> {
                    all.refusal("a", 0, takesPermit = { permits-- > 0 }, putsBack = { permits++ })
                }
                quota.available shouldBe 500
                permits shouldBe 1
                all.hedges.budget.copies shouldBe copies
            }
        }

        test("the delay is learnt for each operation, and is at least a millisecond") {
            val all = hedges(Hedge(maxExtraLoad = 0.1))
            repeat(100) {
                all.hedges.took("slow", 80 * MILLI, 0)
                all.hedges.took("fast", MILLI / 8, 0)
            }
            all.hedges.delayNanos("slow", UNLIMITED_NANOS, 0).shouldBeBetween(71 * MILLI, 91 * MILLI)
            all.hedges.delayNanos("fast", UNLIMITED_NANOS, 0) shouldBe MILLI
            all.hedges.delayNanos("unknown", UNLIMITED_NANOS, 0) shouldBe UNLIMITED_NANOS
            all.hedges.delayNanos("slow", 50 * MILLI, 0) shouldBe UNLIMITED_NANOS
        }

        test("nonsense is refused with name, rule and value") {
            shouldThrow<IllegalArgumentException> { Hedge(0.0) }.message shouldBe
                "hedge.maxExtraLoad must be above 0 and at most 1: 0.0"
            shouldThrow<IllegalArgumentException> { Hedge(Double.NaN) }.message shouldBe
                "hedge.maxExtraLoad must be above 0 and at most 1: NaN"
            shouldThrow<IllegalArgumentException> { Hedge.after(Duration.ZERO) }.message shouldBe
                "hedge.after must be above zero: 0s"
        }
    })
