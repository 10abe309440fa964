package dev.reprise.redis

import dev.reprise.core.shell.quota.SharedQuota
import dev.reprise.core.shell.time.SECOND
import io.lettuce.core.AbstractRedisClient
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger

/**
 * A quota that all processes share under one name.
 *
 * ```kotlin
 * val retrier = Retrier(policy) { quota = RedisQuota(client, "orders") }
 * ```
 *
 * Calls that succeed cost nothing, and first attempts send nothing. Retries are paid from tokens that Redis has leased;
 * the client asks for them during the backoff. While Redis does not reply in time, the client spends its share of the
 * fleet's last tokens, or begins with a lone process's quota if it never had a reply. No method waits for Redis, and
 * none throws because of it. Safe for any number of threads; [close] it after the last call.
 */
public class RedisQuota internal constructor(
    private val name: String,
    /** Made with the first command: processes that are copied from one image before that are clients of their own. */
    private val client: Lazy<String>,
    private val settings: FleetSettings,
    private val environment: Environment,
    private val connection: FleetConnection,
) : SharedQuota,
    AutoCloseable {
    // One client's part of the shared quota; `docs/research/quota.md` has the protocol.
    //
    //               first failure                     no reply in time
    //    at rest ──────────────────> shared: leases ────────────────────> alone: lives on its share
    //            <──────────────────       ^                                    │ reply in time
    //     the quota is full again          └──────────── settling <─────────────┘
    //                                         3.5 s       still on its share, which the server has heard of
    private val keys by lazy {
        listOf("quota", "clients", "client:${client.value}").map { settings.key(name, it) }.toTypedArray()
    }
    private val commands = Commands(name, settings, environment, connection)
    private val balance = Balance()
    private val earned = Earned(settings.capacity)
    private val shares = OwnShares(settings, environment, balance)
    private val demand = AtomicInteger()

    /** The tokens that were promised since the last command was sent. */
    private val promised = AtomicInteger()

    private val isTicking = AtomicBoolean()
    private val lifetimeNanos = settings.lifetime.inWholeNanoseconds

    // Written by the thread that has the commands.
    private var batches = 0L

    @Volatile
    private var open: Batch? = null

    @Volatile
    private var level: Level? = null

    @Volatile
    private var epoch = ""

    @Volatile
    private var heardAt = environment.clock.nanoTime()

    @Volatile
    private var emptyUntil = environment.clock.nanoTime()

    @Volatile
    private var lastTakeAt = environment.clock.nanoTime()

    @Volatile
    private var isAwake = false

    @Volatile
    private var unit = 1

    @Volatile
    private var isClosed = false

    @Volatile
    private var hasLeft = false

    /**
     * Whether Redis served the client's last command; before the first one, false once the connection has failed. Otherwise
     * the client works alone. A client that is back lives on its share for 3.5 s.
     */
    public val isShared: Boolean get() = commands.isShared

    /** The tokens that this client lent itself, in all. */
    internal val lent: Long get() = shares.lent

    /** How many clients were heard of lately; 0 if that is not known. */
    internal val clients: Int get() = level?.clients ?: 0

    override val capacity: Int get() = settings.capacity

    override val available: Int
        get() = ((if (isLeasing()) level?.tokens ?: capacity else 0) + balance.tokens).coerceIn(0, capacity)

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        require(tokens >= 0) { "tokens must not be negative: $tokens" }
        if (tokens == 0) return true
        wake(tokens)
        promised.addAndGet(tokens)
        if (balance.promise(tokens)) return true
        if (!isKnownEmpty() && balance.tokens >= -capacity) {
            if (isLeasing() || !commands.isShared) ask()
            if (isLeasing()) return true
            // A server that is gone says so at once.
            beAlone()
            if (balance.covers()) return true
        }
        balance.add(tokens)
        return false
    }

    override fun confirm(tokens: Int): Long {
        if (balance.covers()) return paid(tokens)
        if (isServed()) {
            ask()
            if (balance.covers()) return paid(tokens)
            // A command is under way: its reply covers all that was promised before it, or says that the quota is empty.
            if (isServed()) return STEP
        }
        // The server is gone, or has just come back: that is no reason to refuse.
        if (!isKnownEmpty()) beAlone()
        return if (balance.covers()) paid(tokens) else SharedQuota.UNPAID
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        require(tokens >= 0) { "tokens must not be negative: $tokens" }
        balance.add(tokens)
        return tokens
    }

    override fun succeeded(tokens: Int, operation: String?): Int {
        if (!isAwake || tokens == 0) return 0
        val kept = shares.current?.let { balance.fill(tokens, it.full) } ?: 0
        earned.add(tokens - kept)
        return tokens
    }

    /** Gives back what is leased, if the server can be reached, and sends nothing more. Then closes the connection. */
    override fun close() {
        isClosed = true
        leave()
    }

    /** Gives all back once, after the command that is under way: it may bring more. */
    private fun leave() {
        if (commands.isUnderWay) return
        if (isAwake && !hasLeft && commands.begins()) {
            hasLeft = open == null
            return send(open?.again() ?: next(kept = 0, wanted = 0))
        }
        if (!commands.isUnderWay) connection.close()
    }

    private fun paid(tokens: Int) = 0L.also { demand.addAndGet(tokens) }

    private fun isKnownEmpty() = environment.clock.nanoTime() - emptyUntil < 0

    /** Whether the server replies, and may have tokens for those who ask. */
    private fun isServed() = isLeasing() && !isKnownEmpty() && !isClosed

    /** Whether leases pay for retries; otherwise the client's share does. */
    private fun isLeasing() = commands.isShared && (shares.current == null || shares.isOver)

    /** Gives the client its share, unless it has one. */
    private fun beAlone() = shares.begin(lately(), unit)

    /** What Redis said, if that is not too long ago. */
    private fun lately() = level?.takeIf { environment.clock.nanoTime() - heardAt < lifetimeNanos / 2 }

    private fun wake(tokens: Int) {
        unit = tokens
        lastTakeAt = environment.clock.nanoTime()
        isAwake = true
        if (!isClosed && isTicking.compareAndSet(false, true)) tickLater()
    }

    private fun tickLater() = environment.after((SECOND * (0.9 + 0.2 * environment.random.next())).toLong(), ::tick)

    /** Once a second while anything is open: gives back, settles, and sees whether the server is there again. */
    private fun tick() {
        if (isClosed) return
        val used = demand.getAndSet(0)
        val kept = if (isLeasing()) used else Int.MAX_VALUE
        val mustSettle =
            open != null || balance.tokens > kept || isWorthSettling() || shares.untold.get() != 0 || shares.isOver
        if (mustSettle && commands.begins()) send(open?.again() ?: next(kept, wanted = 0))
        if (isAtRest()) {
            isAwake = false
            // A client at rest knows nothing that a lost bucket could have forgotten.
            epoch = ""
            isTicking.set(false)
            // A call may have come between the two lines above.
            if (!isAwake || !isTicking.compareAndSet(false, true)) return
        }
        tickLater()
    }

    private fun isWorthSettling() =
        earned.isWorthSettling(unit, isKnownEmpty(), isDue = environment.clock.nanoTime() - heardAt > LONG)

    /** Whether nothing is open, and the quota is full, or this client has nothing to do with it any more. */
    private fun isAtRest(): Boolean {
        val isDone = open == null && !commands.isUnderWay && shares.current == null && balance.tokens == 0
        val isIdle = environment.clock.nanoTime() - lastTakeAt > 2 * LONG
        val isFull = level?.let { it.tokens >= capacity } ?: false
        return isDone && (isFull || (isIdle && earned.tokens == 0))
    }

    /**
     * Asks for the promised tokens that are not covered, and for the last second's demand in addition, or for [ahead] if that is
     * more; in whole retries.
     */
    private fun ask(ahead: Int = 0) {
        if (isClosed || !commands.begins()) return
        val most = level?.let { maxOf(0, it.tokens) / it.clients } ?: 0
        val tokens = short() + minOf(maxOf(demand.get(), ahead), most)
        val retries = if (isLeasing()) minOf(maxOf(1, capacity / unit), (tokens + unit - 1) / unit) else 0
        send(open?.again() ?: next(kept = Int.MAX_VALUE, wanted = retries * unit))
    }

    private fun short() = maxOf(0, -balance.tokens)

    private fun next(kept: Int, wanted: Int) =
        Batch(++batches, balance.surplus(kept), earned.take(), shares.untold.getAndSet(0), wanted, unit)

    /** Sends [batch]; until it is known what became of it, it is sent again and no other. */
    private fun send(batch: Batch) {
        open = batch
        promised.set(0)
        val began = environment.clock.nanoTime()
        val isStale = began - heardAt > lifetimeNanos / 2
        commands.run(keys, batch.args(client.value, settings, if (isStale) "" else epoch), then = ::goOn) { reply ->
            if (reply == null) shares.goOn(lately(), unit) else heard(batch, Level.of(reply))
        }
    }

    /**
     * After a command: tells of a share, or asks for what was promised meanwhile, and for twice as much in addition: until the next
     * reply that much may be promised again, and calls whose backoff is over are paid only while all promises are covered.
     */
    private fun goOn() {
        if (isClosed) return leave()
        val hasToTell = commands.isShared && shares.untold.get() != 0
        if (hasToTell || (short() > 0 && isServed())) ask(ahead = 2 * promised.get())
    }

    private fun heard(batch: Batch, now: Level) {
        open = null
        level = now
        epoch = now.epoch
        heardAt = environment.clock.nanoTime()
        shares.end()
        // A lease that comes late pays back what the client lent itself.
        if (shares.current == null) balance.add(now.granted) else shares.untold.addAndGet(-now.granted)
        if (shares.untold.get() == 0) shares.current?.told(heardAt)
        if (now.granted < batch.wanted) emptyUntil = heardAt + (SECOND * (1 + environment.random.next()) / 2).toLong()
    }

    override fun toString(): String = "$name($available of $capacity, ${if (isShared) "shared" else "local"})"

    public companion object {
        /** All earned tokens are reported after this many ns, however few they are. */
        private const val LONG = 30 * SECOND

        /** How long a call waits for a lease that is under way before it looks again, in ns. */
        private const val STEP = 5_000_000L

        /**
         * The quota of all who call it [name] on the server or the cluster of [client], which stays the caller's. With [settings] of
         * their own, the same in all of them.
         */
        @JvmSynthetic
        public operator fun invoke(
            client: AbstractRedisClient,
            name: String,
            settings: FleetSettingsBuilder.() -> Unit = {},
        ): RedisQuota = of(client, name, FleetSettings(settings))

        /** The quota of all who call it [name] on the server or the cluster of [client], which stays the caller's. */
        @JvmStatic
        @JvmOverloads
        public fun of(
            client: AbstractRedisClient,
            name: String,
            settings: FleetSettings = FleetSettings.DEFAULT,
        ): RedisQuota {
            requireName(name)
            val connection = LettuceConnection.of(client, Script.QUOTA)
            return RedisQuota(name, lazy(::newClientId), settings, connection.environment, connection)
        }
    }
}
