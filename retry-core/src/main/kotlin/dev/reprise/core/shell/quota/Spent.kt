package dev.reprise.core.shell.quota

/**
 * The tokens spent of a steady quota's burst and reserve, and the burst's size: three counts in one word, so that one
 * compare-and-set changes them together.
 *
 * It counts spent tokens, not available ones, because a burst changes its size: nothing spent is full at any size.
 */
@JvmInline
internal value class Spent(val bits: Long) {
    /** Tokens of a full burst. */
    val room: Int get() = (bits ushr (2 * WIDTH)).toInt() and MASK

    /** Tokens of the burst that are spent, from 0 to [room]. */
    val burst: Int get() = (bits ushr WIDTH).toInt() and MASK

    /** Tokens of the reserve that are spent. */
    val reserve: Int get() = bits.toInt() and MASK

    /** Whether burst and reserve are full. */
    val isNone: Boolean get() = bits and (1L shl (2 * WIDTH)) - 1 == 0L

    /** The same part of a burst of [newRoom] tokens, rounded up: a new size makes no tokens in an empty burst. */
    fun resized(newRoom: Int): Spent {
        if (newRoom == room) return this
        val burst = (burst.toLong() * newRoom + room - 1) / room
        return of(newRoom, burst.toInt(), reserve)
    }

    /** With [tokens] more spent. */
    fun plus(tokens: Int): Spent = of(room, burst + tokens, reserve + tokens)

    /** With [ofBurst] and [ofReserve] tokens less spent, or none. */
    fun minus(ofBurst: Int, ofReserve: Int): Spent =
        of(room, (burst - ofBurst).coerceAtLeast(0), (reserve - ofReserve).coerceAtLeast(0))

    companion object {
        private const val WIDTH = 20
        private const val MASK = (1 shl WIDTH) - 1

        /** A burst of [room] tokens and a reserve of [capacity], with a [share] of each available. */
        fun of(room: Int, capacity: Int, share: Double): Spent =
            of(room, room - (room * share).toInt(), capacity - (capacity * share).toInt())

        fun of(room: Int, burst: Int, reserve: Int): Spent =
            Spent((room.toLong() shl (2 * WIDTH)) or (burst.toLong() shl WIDTH) or reserve.toLong())
    }
}
