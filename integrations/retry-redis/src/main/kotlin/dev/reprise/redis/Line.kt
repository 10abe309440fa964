package dev.reprise.redis

/**
 * The fleet's line of slots, as far as the last reply showed it: the next free slot was [freeAt], and since the reply before
 * other clients had made the line longer by [others] ns. Immutable.
 *
 * It foresees no more than that. Slots that other clients may ask for are not foreseen where none did.
 */
internal class Line private constructor(
    private val freeAt: Long,
    private val others: Long,
    private val gapNanos: Double,
    private val clients: Int,
) {
    /** How long from [now] until there is a slot, with [ahead] served first, if a lease can be there after [reply] ns. */
    fun waitNanos(now: Long, reply: Long, ahead: Int): Long {
        val line = freeAt - now + others
        val isShared = others > 0 && line > reply
        return maxOf(line, reply) + (gapNanos * ahead * if (isShared) clients else 1).toLong()
    }

    companion object {
        /** The line after [reply], which came [now] and whose first slot is at [first]; [before] is the line until then. */
        fun of(reply: RateReply, first: Long, now: Long, before: Line?): Line {
            val others = first - now - maxOf(0, (before?.freeAt ?: now) - now)
            // Less than a slot is an error of the clocks. Where nothing was handed out, the whole line is known.
            val isLonger = reply.slots > 0 && others > reply.gapNanos / 2
            val end = first + (reply.slots * reply.gapNanos).toLong()
            return Line(end, if (isLonger) others else 0, reply.gapNanos, maxOf(1, reply.clients))
        }
    }
}
