package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import java.util.PriorityQueue

/**
 * Workers with one queue in front of them, first come, first served. It does not know who has lost patience, and does their
 * work all the same. As everything about a request is known when it arrives, so is when its work is done.
 */
internal class Workers(
    private val model: QueueModel,
    /** When nothing is worked on: from and to, in ns. */
    frozen: List<LongRange>,
    private val chance: Chance,
) {
    private val frozen = frozen.sortedBy { it.first }
    private val capacity = Course(model.capacity)
    private val free = PriorityQueue(List(model.workers) { 0L })
    private val starts = PriorityQueue<Long>()

    /** When the work of a request that comes [now] is done, in ns; [FULL] if the queue is. */
    fun done(now: Long): Long {
        starts.dropUpTo(now)
        if (starts.size >= model.length) return FULL
        val start = thawed(maxOf(now, free.poll()))
        val mean = model.workers / capacity.at(now)
        val end = worked(start, nanosOf(if (model.isRandom) chance.exponential(mean) else mean))
        free.add(end)
        if (start > now) starts.add(start)
        return end
    }

    private fun thawed(at: Long): Long = frozen.firstOrNull { at in it }?.let { it.last + 1 } ?: at

    /** When [work] ns are done that begin at [start]: a freeze that begins meanwhile adds its length. */
    private fun worked(start: Long, work: Long): Long = frozen
        .filter { it.first > start }
        .fold(start + work) { end, ice -> if (ice.first < end) end + (ice.last + 1 - ice.first) else end }

    companion object {
        const val FULL = -1L
    }
}
