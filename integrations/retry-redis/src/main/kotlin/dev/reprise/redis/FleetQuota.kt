package dev.reprise.redis

import dev.reprise.core.classify.FailureKind
import dev.reprise.core.quota.Quota
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger

/**
 * One client's part of the shared quota; `docs/research/fleet.md` has the protocol.
 *
 * ```
 *             first failure                       reply in time
 *  at rest ──────────────────> shared: leases   <──────────────── local: a fund of its own
 *          <──────────────────                  ────────────────>
 *   the quota is full again                      no reply in time
 * ```
 *
 * At rest nothing is sent and nothing counted. Lock-free; no method waits.
 */
internal class FleetQuota(
    private val name: String,
    private val client: String,
    private val settings: FleetSettings,
    private val world: World,
    door: Door,
) : Quota {
    private val keys =
        arrayOf(settings.key(name, "quota"), settings.key(name, "clients"), settings.key(name, "client:$client"))
    private val exchange = Exchange(name, settings, world) { door.run(Script.QUOTA, keys, it) }
    private val purse = Purse()
    private val earned = Earned(settings.capacity)
    private val demand = AtomicInteger()
    private val alone = Alone()
    private val isTicking = AtomicBoolean()
    private val lifetimeNanos = settings.lifetime.inWholeNanoseconds
    private val patienceNanos = settings.patience.inWholeNanoseconds

    // Written by whoever has the exchange.
    private var batches = 0L

    @Volatile
    private var open: Batch? = null

    @Volatile
    private var level: Level? = null

    @Volatile
    private var epoch = ""

    @Volatile
    private var heardAt = world.clock.nanoTime()

    @Volatile
    private var emptyUntil = world.clock.nanoTime()

    /** Since when promises are not covered, while they are not. */
    @Volatile
    private var shortSince = world.clock.nanoTime()

    @Volatile
    private var lastTakeAt = world.clock.nanoTime()

    @Volatile
    private var isAwake = false

    @Volatile
    private var unit = 1

    @Volatile
    private var isClosed = false

    /** Whether the fleet's quota is in force; otherwise the client's own. */
    val isShared: Boolean get() = exchange.isShared

    /** The tokens that this client spent by itself, in all. */
    val spentAlone: Long get() = alone.spent

    /** How many clients were heard of lately; 0 if that is not known. */
    val clients: Int get() = level?.clients ?: 0

    override val capacity: Int get() = settings.capacity

    override val available: Int
        get() {
            val there = if (isShared) level?.tokens ?: capacity else alone.available
            return (there + purse.balance).coerceIn(0, capacity)
        }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        require(tokens >= 0) { "tokens must not be negative: $tokens" }
        if (tokens == 0) return true
        wake(tokens)
        // Once more if the server came back between two looks.
        return promise(tokens) ?: promise(tokens) ?: false
    }

    /** Promises [tokens] of the fleet, or takes them from the fund; `null` if that ended while it was looked for. */
    private fun promise(tokens: Int): Boolean? {
        val wasCovered = purse.covers()
        if (purse.promise(tokens)) return true
        if (wasCovered) shortSince = world.clock.nanoTime()
        if (isShared && mayPay()) {
            ask()
            // A server that is gone says so at once.
            if (isShared) return true
        }
        purse.takeBack(tokens)
        if (!isShared) ask()
        if (alone.tryTake(tokens)) return true
        return if (alone.isOpen || !mayPay()) false else null
    }

    override fun confirm(tokens: Int): Long {
        if (purse.covers()) return paid(tokens)
        val isEmpty = isKnownEmpty()
        if (isShared && !isEmpty && world.clock.nanoTime() - shortSince < patienceNanos) {
            if (!exchange.isUnderWay) ask()
            if (purse.covers()) return paid(tokens)
            if (exchange.isUnderWay) return STEP
        }
        purse.takeBack(tokens)
        // The server is slow, or has just come back: that is no reason to refuse, and none to wait longer.
        if (!isEmpty && !isKnownEmpty()) goOnAlone()
        return if (alone.tryTake(tokens)) paid(tokens) else Quota.UNPAID
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        require(tokens >= 0) { "tokens must not be negative: $tokens" }
        purse.takeBack(tokens)
        return tokens
    }

    override fun succeeded(tokens: Int, operation: String?): Int {
        if (!isAwake || tokens == 0) return 0
        if (!alone.add(tokens, unit)) earned.add(tokens)
        return tokens
    }

    /** Ends the client: gives back what it holds, if the server can be reached, and sends nothing more. */
    fun close() {
        if (isAwake && !isClosed && exchange.begins()) send(open ?: next(kept = 0, wanted = 0))
        isClosed = true
    }

    private fun paid(tokens: Int): Long {
        demand.addAndGet(tokens)
        return 0
    }

    private fun isKnownEmpty() = world.clock.nanoTime() - emptyUntil < 0

    private fun mayPay() = !isKnownEmpty() && purse.balance > -capacity

    private fun wake(tokens: Int) {
        unit = tokens
        lastTakeAt = world.clock.nanoTime()
        isAwake = true
        if (!isClosed && isTicking.compareAndSet(false, true)) tickLater()
    }

    private fun tickLater() = world.timer.after((SECOND * (0.9 + 0.2 * world.draws.next())).toLong(), ::tick)

    /** Once a second while anything is open: gives back, settles, and sees whether the server is there again. */
    private fun tick() {
        if (isClosed) return
        val used = demand.getAndSet(0)
        val mustSettle = open != null || purse.balance > used || isWorthSettling() || !alone.isSettled
        if (mustSettle && exchange.begins()) send(open ?: next(kept = used, wanted = 0))
        if (isAtRest()) {
            isAwake = false
            // Who rests knows of nothing that a lost bucket could have forgotten.
            epoch = ""
            isTicking.set(false)
            // A call may have come between the two lines above.
            if (!isAwake || !isTicking.compareAndSet(false, true)) return
        }
        tickLater()
    }

    private fun isWorthSettling() =
        earned.isWorthSettling(unit, isKnownEmpty(), isDue = world.clock.nanoTime() - heardAt > LONG)

    /** Whether nothing is open, and the quota is full, or this client has nothing to do with it any more. */
    private fun isAtRest(): Boolean {
        val isSettled = alone.isSettled && purse.balance == 0
        val isDone = open == null && !exchange.isUnderWay && isSettled
        val isIdle = world.clock.nanoTime() - lastTakeAt > 2 * LONG
        val isFull = level?.let { it.tokens >= capacity } ?: false
        return isDone && (isFull || (isIdle && earned.tokens == 0))
    }

    /** Asks for what is promised and not covered, and for as much again as was needed in the last second. */
    private fun ask() {
        if (isClosed || !exchange.begins()) return
        val short = maxOf(0, -purse.balance)
        val ahead = level?.let { minOf(demand.get(), maxOf(0, it.tokens) / maxOf(1, it.clients)) } ?: 0
        val wanted = if (isShared) minOf(capacity, short + ahead) else 0
        send(open ?: next(kept = Int.MAX_VALUE, wanted))
    }

    private fun next(kept: Int, wanted: Int): Batch {
        val number = ++batches
        return Batch(number, purse.surplus(kept), earned.take(), alone.debt(), wanted, unit)
    }

    /** Sends [batch]; until it is known what became of it, it is sent again and no other. */
    private fun send(batch: Batch) {
        open = batch
        val began = world.clock.nanoTime()
        val isStale = began - heardAt > lifetimeNanos / 2
        val args = batch.args(client, settings, if (isStale) "" else epoch)
        exchange.run(args) { reply ->
            if (reply == null) goOnAlone() else heard(batch, Level.of(reply))
        }
    }

    private fun heard(batch: Batch, now: Level) {
        open = null
        level = now
        epoch = now.epoch
        heardAt = world.clock.nanoTime()
        purse.add(now.granted)
        val isRefused = batch.wanted > 0 && now.granted + batch.unit <= batch.wanted
        alone.end()
        if (!isRefused) return
        emptyUntil = heardAt + (SECOND * (1 + world.draws.next()) / 2).toLong()
        // No one waits for a lease while nothing is asked.
        shortSince = emptyUntil
    }

    private fun goOnAlone() {
        if (alone.isOpen) return
        val known = level?.takeIf { world.clock.nanoTime() - heardAt < lifetimeNanos / 2 }
        val share = known?.let { it.tokens.toDouble() / maxOf(1, it.clients) } ?: settings.localTokens.toDouble()
        alone.begin(share, world.draws.next())
    }

    override fun toString(): String = "$name($available of $capacity, ${if (isShared) "shared" else "local"})"

    companion object {
        private const val SECOND = 1_000_000_000L

        /** All that was earned is settled after so many ns, however little it is. */
        private const val LONG = 30 * SECOND

        /** How long a call waits on for a lease that is under way before it asks again, in ns. */
        private const val STEP = 5_000_000L
    }
}
