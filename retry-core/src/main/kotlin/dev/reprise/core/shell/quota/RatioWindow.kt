package dev.reprise.core.shell.quota

/**
 * The last [SLOTS] slots of time: the successes and the tokens taken in each. The newest slot has the number [slot];
 * [counted] successes were seen since the beginning. Immutable.
 *
 * Tokens carry no name, so nothing tells in which slot a returned token was taken: it counts as the oldest of the window, which
 * would be forgotten first anyhow.
 */
internal class RatioWindow private constructor(
    val slot: Long,
    private val counted: Long,
    private val successes: LongArray,
    private val taken: LongArray,
) {
    /** A window in which [taken] tokens were taken, and no call has succeeded. */
    constructor(taken: Long) : this(0, 0, LongArray(SLOTS), LongArray(SLOTS).also { it[SLOTS - 1] = taken })

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
        val nextTaken = LongArray(SLOTS) { if (it + kept < SLOTS) taken[it + kept] else 0 }
        return RatioWindow(slot + passed, counted + added, nextSuccesses, nextTaken)
    }

    /** This window, whose newest slot is now the one with the number [slot]. */
    fun goingOnFrom(slot: Long): RatioWindow = RatioWindow(slot, counted, successes, taken)

    /** With [tokens] more taken in the newest slot. */
    fun plus(tokens: Int): RatioWindow = with { it[SLOTS - 1] += tokens.toLong() }

    /** With [tokens] fewer taken, or with none. */
    fun minus(tokens: Int): RatioWindow = with {
        var left = tokens.toLong()
        for (i in 0..<SLOTS) {
            val back = minOf(left, it[i])
            it[i] -= back
            left -= back
        }
    }

    private inline fun with(change: (taken: LongArray) -> Unit): RatioWindow =
        RatioWindow(slot, counted, successes, taken.clone().also(change))

    companion object {
        /** As many as Finagle's leaky bucket has. */
        const val SLOTS = 10
    }
}
