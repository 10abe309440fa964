package dev.reprise.redis

import kotlin.math.floor

/**
 * The tokens that a client lends itself when it loses Redis: its part of the fleet's tokens in the last reply. The
 * shares of all clients together are the fleet's tokens, so a client that is back lives on its share until the others
 * have reported theirs.
 */
internal class Share private constructor(val tokens: Int, private val unit: Int) {
    @Volatile
    private var endsAt: Long? = null

    /** Successes fill the share up to this: to a retry at least. */
    val full: Int get() = maxOf(tokens, unit)

    /** The server heard of the share at [now]; from [SETTLING] later on the fleet's quota is in force. */
    fun told(now: Long) {
        endsAt = endsAt ?: (now + SETTLING)
    }

    /** The server is lost again before the share ended. */
    fun goesOn() {
        endsAt = null
    }

    fun isOver(now: Long): Boolean = endsAt?.let { now - it >= 0 } ?: false

    companion object {
        /** Within this time, in ns, all clients that lost the server together have told of their shares. */
        const val SETTLING = 3_500_000_000L

        /**
         * A share of [tokens] in whole retries of [unit], rounded by chance: so clients with less than a retry each spend
         * together what they have, and not nothing.
         */
        fun of(tokens: Double, unit: Int, draw: Double): Share {
            val retries = tokens.coerceAtLeast(0.0) / unit
            val certain = floor(retries)
            return Share(certain.toInt() * unit + if (draw < retries - certain) unit else 0, unit)
        }
    }
}
