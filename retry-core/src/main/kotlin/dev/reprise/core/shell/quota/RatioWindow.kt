package dev.reprise.core.shell.quota

/**
 * The last [SLOTS] slots of time: the successes and the tokens taken in each. The newest slot has the number [slot];
 * [counted] successes were seen since the beginning. Immutable.
 *
 * Tokens carry no name, so nothing tells in which slot a returned token was taken. Tokens whose retry is not made yet
 * are [pending], or [late] if their slot is forgotten. A returned token counts as the oldest of them, a retry that is
 * made as the newest. So the window never holds fewer tokens than were really taken in it.
 */
internal class RatioWindow private constructor(
    val slot: Long,
    private val counted: Long,
    private val successes: LongArray,
    private val taken: LongArray,
    private val pending: LongArray,
    private val late: Long,
) {
    /** A window in which [taken] tokens were taken for retries that were made, and no call has succeeded. */
    constructor(taken: Long) : this(
        0,
        0,
        LongArray(SLOTS),
        LongArray(SLOTS).also { it[SLOTS - 1] = taken },
        LongArray(SLOTS),
        0,
    )

    /** The successes of the window. */
    fun successes(): Long = successes.sum()

    /** The tokens taken in the window. */
    fun taken(): Long = taken.sum()

    /**
     * The window after slot [now] has begun and [total] successes were counted. New successes are spread evenly over
     * the slots that have begun since, because the time of each is not known.
     */
    fun at(now: Long, total: Long): RatioWindow {
        val passed = (now - slot).coerceAtLeast(0)
        val added = (total - counted).coerceAtLeast(0)
        if (passed == 0L && added == 0L) return this
        val kept = passed.coerceAtMost(SLOTS.toLong()).toInt()
        val nextSuccesses = LongArray(SLOTS) { if (it + kept < SLOTS) successes[it + kept] else added / passed }
        nextSuccesses[SLOTS - 1] += if (passed == 0L) added else added % passed
        val forgotten = (0..<kept).sumOf { pending[it] }
        val nextLate = late + forgotten
        return RatioWindow(
            slot + passed,
            counted + added,
            nextSuccesses,
            taken.later(kept),
            pending.later(kept),
            nextLate,
        )
    }

    /** This window, whose newest slot is now the one with the number [slot]. */
    fun goingOnFrom(slot: Long): RatioWindow = RatioWindow(slot, counted, successes, taken, pending, late)

    /** With [tokens] more taken in the newest slot, for a retry that is not made yet. */
    fun plus(tokens: Int): RatioWindow = with(late) { taken, pending ->
        taken[SLOTS - 1] += tokens.toLong()
        pending[SLOTS - 1] += tokens.toLong()
    }

    /** With [tokens] less pending, since the retry that they were taken for is made. */
    fun made(tokens: Int): RatioWindow {
        var left = tokens.toLong()
        val rest = pending.clone()
        for (i in SLOTS - 1 downTo 0) {
            val spent = minOf(left, rest[i])
            rest[i] -= spent
            left -= spent
        }
        return RatioWindow(slot, counted, successes, taken, rest, (late - left).coerceAtLeast(0))
    }

    /** The window with [tokens] fewer taken, or with all pending ones removed; unchanged for [late] ones. */
    fun minus(tokens: Int): RatioWindow {
        val tooLate = minOf(late, tokens.toLong())
        return with(late - tooLate) { taken, pending ->
            var left = tokens - tooLate
            for (i in 0..<SLOTS) {
                val back = minOf(left, pending[i])
                pending[i] -= back
                taken[i] -= back
                left -= back
            }
        }
    }

    private inline fun with(late: Long, change: (taken: LongArray, pending: LongArray) -> Unit): RatioWindow {
        val nextTaken = taken.clone()
        val nextPending = pending.clone()
        change(nextTaken, nextPending)
        return RatioWindow(slot, counted, successes, nextTaken, nextPending, late)
    }

    private fun LongArray.later(slots: Int) = LongArray(SLOTS) { if (it + slots < SLOTS) this[it + slots] else 0 }

    companion object {
        /** As many as Finagle's leaky bucket has. */
        const val SLOTS = 10
    }
}
