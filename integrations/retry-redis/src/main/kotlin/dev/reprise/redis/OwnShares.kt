package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/** The shares on which a client lives while Redis does not serve it: one at a time, from the fleet's last tokens. */
internal class OwnShares(
    private val settings: FleetSettings,
    private val environment: Environment,
    private val balance: Balance,
) {
    /** The share that the client lives on; `null` while Redis serves it. */
    @Volatile
    var current: Share? = null
        private set

    /** The tokens of shares that the server has yet to hear of. */
    val untold = AtomicInteger()

    /** The tokens of all shares. */
    @Volatile
    var lent = 0L
        private set

    val isOver: Boolean get() = current?.isOver(environment.clock.nanoTime()) ?: false

    /**
     * Only a reply that comes after a share's time ends it. So the client never lends on what it heard before the others
     * had told of their shares.
     */
    @Synchronized
    fun end() {
        if (isOver) current = null
    }

    /** Gives the client its share of what is [known], in whole retries of [unit] tokens, unless it has one. */
    @Synchronized
    fun begin(known: Level?, unit: Int) {
        if (current != null) return
        val tokens = known?.share ?: settings.localTokens.toDouble()
        val mine = Share.of(minOf(tokens, settings.capacity.toDouble()), unit, environment.random.next())
        balance.add(mine.tokens)
        untold.addAndGet(mine.tokens)
        lent += mine.tokens
        current = mine
    }

    /** The server does not reply: the share goes on, or begins. */
    @Synchronized
    fun goOn(known: Level?, unit: Int) {
        current?.goesOn()
        begin(known, unit)
    }
}
