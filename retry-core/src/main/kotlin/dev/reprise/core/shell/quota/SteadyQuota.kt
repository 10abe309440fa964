package dev.reprise.core.shell.quota

import dev.reprise.core.NanoClock
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.shell.time.SECOND
import java.util.concurrent.atomic.AtomicLong

/**
 * The quota of [SteadyQuotaSettings]: an AWS bucket as reserve, and a burst that is as large as the client's traffic.
 *
 * A success counts the call, and while the quota is full also reads one word. The clock is read for a retry, never on
 * success. Lock-free and safe for any number of threads.
 */
public class SteadyQuota internal constructor(
    private val settings: SteadyQuotaSettings,
    clock: NanoClock,
    share: Double,
) : Quota {
    private val traffic = Traffic((settings.seconds * SECOND).toLong(), clock)
    private val shares = if (settings.operations > 0) Shares(settings.operations) else null
    private val spent = AtomicLong(Spent.of(settings.leastCapacity, settings.capacity, share).bits)

    override val capacity: Int get() = Spent(spent.get()).room

    override val available: Int get() = available(Spent(spent.get()))

    override fun available(operation: String?): Int {
        val now = Spent(spent.get())
        if (operation == null || shares == null) return available(now)
        val share = settings.shareOf(now.room) - shares.spent(operation)
        return minOf(share.coerceAtLeast(0), available(now))
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        requireTokens(tokens)
        val room = traffic.recent().coerceIn(settings.leastCapacity.toDouble(), settings.capacity.toDouble()).toInt()
        val share = if (operation == null) null else shares
        if (share != null && !share.trySpend(operation!!, tokens, settings.shareOf(room))) return refused()
        if (spend(tokens, room)) return true
        share?.giveBack(operation!!, tokens)
        return refused()
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        requireTokens(tokens)
        return restore(tokens, tokens, operation)
    }

    override fun succeeded(tokens: Int, operation: String?): Int {
        requireTokens(tokens)
        val isWhole = Spent(spent.get()).isNone && (operation == null || shares == null || shares.isNone)
        traffic.count()
        if (isWhole) return 0
        val isFirst = tokens <= settings.firstTryRefund
        return restore(tokens, if (isFirst) minOf(tokens, settings.reserveRefund) else tokens, operation)
    }

    /** A call that is refused its retry ends here: it was traffic too. */
    private fun refused(): Boolean {
        traffic.count()
        return false
    }

    private fun spend(tokens: Int, room: Int): Boolean {
        while (true) {
            val old = Spent(spent.get())
            val now = old.resized(room)
            val isThere = tokens <= now.room - now.burst && tokens <= settings.capacity - now.reserve
            val next = if (isThere) now.plus(tokens) else now
            if (next.bits == old.bits || spent.compareAndSet(old.bits, next.bits)) return isThere
        }
    }

    private fun restore(toBurst: Int, toReserve: Int, operation: String?): Int {
        if (operation != null) shares?.giveBack(operation, toBurst)
        while (true) {
            val now = Spent(spent.get())
            if (now.isNone) return 0
            val next = now.minus(toBurst, toReserve)
            if (next.bits == now.bits) return 0
            if (spent.compareAndSet(now.bits, next.bits)) return available(next) - available(now)
        }
    }

    private fun available(at: Spent): Int = minOf(at.room - at.burst, settings.capacity - at.reserve)

    override fun toString(): String = "steady quota($available of $capacity)"
}
