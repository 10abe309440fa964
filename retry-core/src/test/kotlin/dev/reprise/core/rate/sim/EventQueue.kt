package dev.reprise.core.rate.sim

/**
 * A binary heap of events in virtual time: each a time in nanoseconds and a number that says what happens. First in,
 * first out at one time.
 */
internal class EventQueue {
    private var times = LongArray(64)
    private var orders = LongArray(64)
    private var events = IntArray(64)
    private var size = 0
    private var added = 0L

    /** When the next event happens; [Long.MAX_VALUE] if there is none. */
    val nextAt: Long get() = if (size == 0) Long.MAX_VALUE else times[0]

    fun add(at: Long, event: Int) {
        if (size == times.size) grow()
        var child = size++
        val order = added++
        while (child > 0) {
            val parent = (child - 1) / 2
            if (isBefore(parent, at, order)) break
            move(parent, child)
            child = parent
        }
        put(child, at, order, event)
    }

    /** Removes the next event and returns its number. */
    fun poll(): Int {
        val first = events[0]
        size--
        val at = times[size]
        val order = orders[size]
        val event = events[size]
        var parent = 0
        while (true) {
            var child = 2 * parent + 1
            if (child >= size) break
            if (child + 1 < size && isBefore(child + 1, times[child], orders[child])) child++
            if (!isBefore(child, at, order)) break
            move(child, parent)
            parent = child
        }
        put(parent, at, order, event)
        return first
    }

    private fun isBefore(index: Int, at: Long, order: Long) =
        times[index] < at || (times[index] == at && orders[index] < order)

    private fun move(from: Int, to: Int) = put(to, times[from], orders[from], events[from])

    private fun put(index: Int, at: Long, order: Long, event: Int) {
        times[index] = at
        orders[index] = order
        events[index] = event
    }

    private fun grow() {
        times = times.copyOf(2 * size)
        orders = orders.copyOf(2 * size)
        events = events.copyOf(2 * size)
    }
}
