package dev.reprise.core.shell.machine

import dev.reprise.core.FailureKind
import dev.reprise.core.Repeat
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict

/** A policy, a quota and a call, in numbers. The backoff waits [delay] ns, or says stop if that is negative. */
data class Terms(
    val maxAttempts: Int,
    val deadline: Long,
    val stopAfter: Long,
    val delay: Long,
    val cost: Int,
    val throttlingCost: Int,
    val timeoutCost: Int,
    val firstTryRefund: Int,
    val chargesFailures: Boolean,
    val capacity: Int,
    val available: Int,
    val repeat: Repeat,
    val isLongPoll: Boolean,
    val delaysLongPolls: Boolean,
    val waitsForPermits: Boolean,
    val stopsBelow: Boolean,
) {
    fun price(kind: FailureKind) = when (kind) {
        FailureKind.TRANSIENT -> cost
        FailureKind.THROTTLING -> throttlingCost
        FailureKind.TIMEOUT -> timeoutCost
    }

    /** The same, where retries cost nothing and success gives nothing. */
    fun free() = copy(cost = 0, throttlingCost = 0, timeoutCost = 0, firstTryRefund = 0)

    override fun toString(): String = "$maxAttempts attempts in $deadline ns, none after $stopAfter, " +
        "waits $delay ns, costs $cost $throttlingCost $timeoutCost, gives $firstTryRefund, " +
        "failures $chargesFailures, $available of $capacity, $repeat, " +
        "long poll $isLongPoll $delaysLongPolls, waits for permits $waitsForPermits, stops below $stopsBelow"
}

/** What the machine decides, in the words of its table. */
sealed interface Told {
    /** The call goes on with its attempt [number]. */
    data class Goes(val number: Int, val due: Int) : Told

    /** The call is over, and waits [delay] before it says so. */
    data class Ends(val reason: StopReason, val delay: Long = 0) : Told
}

/** The table of [RetryMachine], read row by row: slow, plain, and without the machine's own shortcuts. */
class MachineModel(private val terms: Terms) {
    var tokens = terms.available
        private set
    val told = mutableListOf<String>()
    private var attempt = 1
    private var due = 0

    fun next(report: MachineInput, elapsed: Long): Told = when (report) {
        is MachineInput.Judged -> judged(report.verdict, elapsed)

        is CopyDue -> error("no attempt of the call")

        is MachineInput.Stopped -> {
            if (!report.inAttempt) give(due)
            val waits = report === MachineInput.NO_PERMIT && terms.waitsForPermits
            val isTime = attempt > 1 && terms.stopAfter < terms.deadline
            val limit = if (isTime) StopReason.TIME else StopReason.DEADLINE
            Told.Ends(if (waits) limit else report.reason)
        }
    }

    private fun judged(verdict: Verdict, elapsed: Long): Told = when (verdict) {
        is Verdict.Accept -> {
            give(if (due > 0) due else terms.firstTryRefund)
            Told.Ends(StopReason.SUCCESS)
        }

        is Verdict.Reject -> {
            val isPaid = !terms.chargesFailures || pay(terms.cost)
            if (isPaid) stops(StopReason.REJECTED, hasPaid = true) else Told.Ends(StopReason.REJECTED)
        }

        is Verdict.Retry -> retry(verdict, elapsed)
    }

    private fun retry(verdict: Verdict.Retry, elapsed: Long): Told {
        val price = terms.price(verdict.kind)
        val isLast = attempt >= terms.maxAttempts
        val isBelow = verdict.isRetriedBelow && terms.stopsBelow
        val mayRepeat = terms.repeat == Repeat.SAFE || (terms.repeat == Repeat.IF_UNSENT && verdict.unsent)
        if (!isLast && !isBelow && !mayRepeat) return Told.Ends(StopReason.NOT_REPLAYABLE)
        if (terms.chargesFailures && !pay(price)) return refused(elapsed)
        val hasPaid = due > 0 || price > 0
        if (isLast) return stops(StopReason.ATTEMPTS, hasPaid)
        if (isBelow) return stops(StopReason.RETRIED_BELOW, hasPaid)
        if (!terms.chargesFailures && !pay(price)) return refused(elapsed)
        val tooLong = when {
            terms.delay < 0 -> StopReason.REJECTED
            terms.delay >= terms.deadline - elapsed -> StopReason.DEADLINE
            terms.delay >= terms.stopAfter - elapsed -> StopReason.TIME
            else -> null
        }
        if (tooLong != null) {
            if (!terms.chargesFailures) give(price)
            return stops(tooLong, hasPaid)
        }
        if (!terms.chargesFailures || price > 0) due = price
        return Told.Goes(++attempt, due)
    }

    private fun stops(reason: StopReason, hasPaid: Boolean): Told {
        if (terms.chargesFailures && hasPaid) give(terms.cost)
        return Told.Ends(reason)
    }

    private fun refused(elapsed: Long): Told {
        val limit = minOf(terms.deadline, terms.stopAfter)
        val waits = terms.isLongPoll && terms.delaysLongPolls && terms.delay > 0 && terms.delay < limit - elapsed
        return Told.Ends(StopReason.QUOTA, if (waits) terms.delay else 0)
    }

    private fun pay(price: Int): Boolean {
        if (price == 0) return true
        val isThere = tokens >= price
        if (isThere) tokens -= price
        told += if (isThere) "-$price" else "no $price"
        return isThere
    }

    private fun give(amount: Int) {
        val added = minOf(amount, terms.capacity - tokens)
        tokens += added
        if (added > 0) told += "+$added"
    }
}

/** Writes down what is told of tokens, as [MachineModel] does. */
class Tokens : MachineObserver {
    val seen = mutableListOf<String>()

    /** Ceiling, backoff, what the server asked for, and delay. */
    val delays = mutableListOf<List<Any?>>()

    override fun quotaTaken(tokens: Int) {
        seen += "-$tokens"
    }

    override fun quotaRefused(tokens: Int) {
        seen += "no $tokens"
    }

    override fun quotaRefunded(tokens: Int) {
        seen += "+$tokens"
    }

    override fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long) {
        delays += listOf(ceilingNanos, backoffNanos, serverDelay, delayNanos)
    }
}
