package dev.reprise.core.quota

/**
 * The last [SLOTS] slots of time: the successes that were counted in each, and the tokens that were taken. The newest slot
 * has the number [slot]; [counted] successes were seen since the beginning. Immutable.
 */
internal class RatioWindow private constructor(
    private val slot: Long,
    private val counted: Long,
    private val successes: LongArray,
    private val taken: LongArray,
) {
    /** A window without successes. */
    constructor() : this(0, 0, LongArray(SLOTS), LongArray(SLOTS))

    /** The successes of the window. */
    fun successes(): Long = successes.sum()

    /** The tokens taken in the window. */
    fun taken(): Long = taken.sum()

    /** The successes of [total] that this window has not seen. */
    fun unseen(total: Long): Long = (total - counted).coerceAtLeast(0)

    /**
     * The window when slot [now] has begun and [total] successes are counted. Those that are new are spread evenly over the
     * slots that have begun since, as nothing tells when they were counted.
     */
    fun at(now: Long, total: Long): RatioWindow {
        val passed = (now - slot).coerceAtLeast(0)
        val added = unseen(total)
        if (passed == 0L && added == 0L) return this
        val kept = passed.coerceAtMost(SLOTS.toLong()).toInt()
        val nextSuccesses = LongArray(SLOTS) { if (it + kept < SLOTS) successes[it + kept] else added / passed }
        val nextTaken = LongArray(SLOTS) { if (it + kept < SLOTS) taken[it + kept] else 0 }
        nextSuccesses[SLOTS - 1] += if (passed == 0L) added else added % passed
        return RatioWindow(slot + passed, counted + added, nextSuccesses, nextTaken)
    }

    /** With [tokens] more taken in the newest slot. */
    fun plus(tokens: Int): RatioWindow =
        RatioWindow(slot, counted, successes, taken.clone().also { it[SLOTS - 1] += tokens.toLong() })

    /** With [tokens] less taken, or as many as were taken, the newest first. */
    fun minus(tokens: Int): RatioWindow {
        var left = tokens.toLong()
        val rest = taken.clone()
        for (i in SLOTS - 1 downTo 0) {
            val back = minOf(left, rest[i])
            rest[i] -= back
            left -= back
        }
        return RatioWindow(slot, counted, successes, rest)
    }

    companion object {
        /** As many as Finagle's leaky bucket has. */
        const val SLOTS = 10
    }
}
