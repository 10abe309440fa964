package dev.reprise.core.shell.call

import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RetrierCache
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.isSetBack
import java.util.concurrent.atomic.AtomicReference

/**
 * The copies of the calls of one retrier: when one is sent, and what pays for it. A retrier that is derived [from] another one
 * shares what that has learnt and saved, if their [settings] are equal, and in any case what that knows of a busy server. All
 * times are readings of the retrier's clock, in ns. Safe for any number of threads; never waits.
 */
internal class Hedges(private val settings: Hedge, private val quota: Quota?, from: Hedges? = null) {
    private val shared: Shared = from?.takeIf { it.settings == settings }?.shared ?: Shared(settings.maxExtraLoad)
    private val busy: AtomicReference<Busy?> = from?.busy ?: AtomicReference()

    /** Pays for copies, and learns what became of them. */
    val budget: HedgeBudget get() = shared.budget

    /**
     * The delay before a copy of a first attempt of [operation] that may take [limitNanos] and begins at [now];
     * [UNLIMITED_NANOS] for no copy.
     */
    fun delayNanos(operation: String?, limitNanos: Long, now: Long): Long {
        val delay = if (settings.isLearnt) learntDelay(operation, now) else settings.afterNanos
        return if (delay < limitNanos) delay else UNLIMITED_NANOS
    }

    private fun learntDelay(operation: String?, now: Long): Long {
        val delay = latencies(operation).quantile(1 - SLOW_SHARE * settings.maxExtraLoad, now)
        // To the nearest ms: coroutines round a wait up, which would make a short delay too long.
        return if (delay == UNLIMITED_NANOS) delay else maxOf((delay + MILLI / 2) / MILLI * MILLI, SHORTEST_NANOS)
    }

    /** The [first] attempt of a call ended at [now] with [verdict]. Learns how long it takes, at least, and of the copy in its [race]. */
    fun firstEnded(first: WatchedAttempt, race: HedgeRace?, verdict: Verdict, now: Long) {
        if (race != null && race.hasCopy) budget.copyEnded(race.hasCopyWon && verdict is Verdict.Accept)
        val isTime = verdict is Verdict.Accept || (verdict is Verdict.Retry && verdict.kind == FailureKind.TIMEOUT)
        if (isTime && race?.tellsTime != false) took(first.state.options.label, now - first.startedAt, now)
    }

    /** The first execution of an attempt of [operation] took [nanos] when it ended or was cut off at [now]. */
    fun took(operation: String?, nanos: Long, now: Long) {
        if (settings.isLearnt) latencies(operation).record(nanos, now)
    }

    private fun latencies(operation: String?): Latencies = shared.learnt[operation ?: ""]

    /** An execution failed at [now] with [verdict], and the next one follows in [delayNanos]: a busy server is left alone so long. */
    fun heard(verdict: Verdict, delayNanos: Long, now: Long) {
        if (verdict !is Verdict.Retry) return
        val asked = verdict.serverDelay?.nanos
        if (asked == null && verdict.kind != FailureKind.THROTTLING) return
        serverIsBusy(now, maxOf(delayNanos, asked ?: 0, SHORTEST_BUSY_NANOS))
    }

    /** The server throttled, or asked for a delay: no copy is sent for [nanos] from [now] on. */
    fun serverIsBusy(now: Long, nanos: Long) {
        busy.updateAndGet { if (it != null && it.leftNanos(now) >= nanos) it else Busy(now, nanos) }
    }

    private fun isServerBusy(now: Long): Boolean {
        val last = busy.get() ?: return false
        // A clock that was set back counts the time anew, or it would stand still until the clock has caught up.
        if (isSetBack(last.since, now)) busy.compareAndSet(last, Busy(now, last.nanos))
        return last.leftNanos(now) > 0
    }

    /**
     * Pays for a copy at [now], if budget, send rate and quota all say yes; [takesPermit] takes a permit that is there,
     * [putsBack] gives it back, and [pays] has the machine take the tokens. Returns why not otherwise, or throws what the quota
     * throws, and then has taken nothing.
     */
    inline fun refusal(
        now: Long,
        takesPermit: () -> Boolean,
        putsBack: () -> Unit,
        pays: () -> Boolean,
    ): HedgeRefusal? {
        if (isServerBusy(now)) return HedgeRefusal.SERVER_BUSY
        if (!budget.tryTake()) return HedgeRefusal.BUDGET
        var hasPermit = false
        // Stays so if a quota throws, which is code of others.
        var refusal: HedgeRefusal? = HedgeRefusal.QUOTA
        try {
            refusal = when {
                !isQuotaHalfFull() -> HedgeRefusal.QUOTA

                !takesPermit().also { hasPermit = it } -> HedgeRefusal.SEND_RATE

                // Last, since tokens that are confirmed are spent.
                !pays() -> HedgeRefusal.QUOTA

                else -> null
            }
        } finally {
            if (refusal != null) {
                if (hasPermit) putsBack()
                budget.giveBack()
            }
        }
        return refusal
    }

    /** Of the whole quota: the share of one operation is never more than about half of it. */
    fun isQuotaHalfFull(): Boolean = quota == null || quota.available >= quota.capacity - quota.capacity / 2

    /** What belongs to the client, under equal settings, whatever its listeners: the budget and the learnt times. */
    class Shared(maxExtraLoad: Double) {
        val budget = HedgeBudget(maxExtraLoad)
        val learnt = RetrierCache<String, Latencies>(OPERATIONS) { Latencies() }
    }

    /** A server that asked at [since] for [nanos] without copies. */
    class Busy(val since: Long, val nanos: Long) {
        fun leftNanos(now: Long): Long = nanos - (now - since).coerceAtLeast(0)
    }
}

/**
 * How much of the load that is allowed the slow calls make up. With all of it a budget that calls fill as fast as slow
 * ones empty it would be empty now and then, and refuse copies to one slow call of twenty.
 */
private const val SLOW_SHARE = 0.8

/** How many operations are told apart; the least recently used is forgotten. */
private const val OPERATIONS = 100

/** For how long a throttle without a delay stops copies. */
private const val SHORTEST_BUSY_NANOS = SECOND

/** A copy that follows sooner than this would be sent in answer to the scheduler, not to the server. */
private const val SHORTEST_NANOS = MILLI
