package dev.reprise.lab.fleet.server

import dev.reprise.lab.fleet.kernel.Chance
import dev.reprise.lab.fleet.kernel.Course
import dev.reprise.lab.fleet.kernel.LongHeap
import dev.reprise.lab.fleet.kernel.nanosOf

/**
 * Workers with one queue in front of them, first come, first served. It does not know who has lost patience, and does their
 * work all the same. As everything about a request is known when it arrives, so is when its work is done.
 */
internal class Workers(
    /** Requests a second, all workers together. */
    private val capacity: Course,
    private val workers: Int,
    /** The most requests that wait; one more is turned away. */
    private val length: Int,
    /** Whether the work of a request is exponentially distributed (M/M/c) instead of always the same (M/D/c). */
    private val isRandom: Boolean,
    /** When nothing is worked on: from and to, in ns. */
    private val frozen: List<LongRange>,
    private val chance: Chance,
) {
    private val free = LongHeap().also { heap -> repeat(workers) { heap.add(0) } }
    private val starts = LongHeap()

    /** When the work of a request that comes [now] is done, in ns; [FULL] if the queue is. */
    fun done(now: Long): Long {
        starts.dropUpTo(now)
        if (starts.size >= length) return FULL
        val start = thawed(maxOf(now, free.removeFirst()))
        val mean = workers / capacity.at(now)
        val end = worked(start, nanosOf(if (isRandom) chance.exponential(mean) else mean))
        free.add(end)
        if (start > now) starts.add(start)
        return end
    }

    private fun thawed(at: Long): Long = frozen.firstOrNull { at in it }?.let { it.last + 1 } ?: at

    /** When [work] ns are done that begin at [start]: a freeze that begins meanwhile adds its length. */
    private fun worked(start: Long, work: Long): Long = frozen
        .filter { it.first > start }
        .sortedBy { it.first }
        .fold(start + work) { end, ice -> if (ice.first < end) end + (ice.last + 1 - ice.first) else end }

    companion object {
        const val FULL = -1L
    }
}
