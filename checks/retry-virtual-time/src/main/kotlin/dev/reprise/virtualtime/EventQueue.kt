package dev.reprise.virtualtime

/**
 * Virtual time in ns from 0, and the events to come: by time and, at one time, in the order in which they were scheduled. So
 * the same calls give the same history. Confined to one thread.
 *
 * A binary heap whose events know their places: to schedule, to move and to cancel cost a logarithm, and an [Event] of the
 * caller's own costs no object.
 */
public class EventQueue {
    private var heap = arrayOfNulls<Event>(FIRST_SIZE)
    private var scheduled = 0L

    /** The present. */
    public var now: Long = 0
        private set

    /** How many events are to come. */
    public var size: Int = 0
        private set

    /** How many events have happened. */
    public var happened: Long = 0
        private set

    /** The time of the next event; [Long.MAX_VALUE] if there is none. */
    public val nextAt: Long get() = if (size == 0) Long.MAX_VALUE else heap[0]!!.at

    /** Schedules [event] for [at], or for now if that is past; moves an event that is scheduled already. */
    public fun schedule(event: Event, at: Long) {
        cancel(event)
        event.at = maxOf(at, now)
        event.order = scheduled++
        if (size == heap.size) heap = heap.copyOf(size * 2)
        rise(event, size++)
    }

    /** Schedules [action] for [at], or for now if that is past. Returns the event, which can be cancelled. */
    public fun schedule(at: Long, action: Runnable): Event {
        val event =
            object : Event() {
                override fun happen() = action.run()
            }
        schedule(event, at)
        return event
    }

    /** Removes [event]; does nothing if it is not scheduled. */
    public fun cancel(event: Event) {
        val place = event.place
        if (place == Event.NOWHERE) return
        event.place = Event.NOWHERE
        val last = heap[--size]!!
        heap[size] = null
        if (last === event) return
        rise(last, place)
        if (last.place == place) sink(last, place)
    }

    /** Moves the time to the next event and runs it. Returns whether there was one. */
    public fun runNext(): Boolean {
        if (size == 0) return false
        val next = heap[0]!!
        cancel(next)
        now = next.at
        happened++
        next.happen()
        return true
    }

    /** Runs all events up to [end], then moves the time to [end]. */
    public fun runUntil(end: Long) {
        while (size > 0 && nextAt <= end) runNext()
        now = maxOf(now, end)
    }

    /** Runs events until none is left. */
    public fun runAll() {
        while (runNext()) continue
    }

    private fun rise(event: Event, from: Int) {
        var place = from
        while (place > 0) {
            val parent = (place - 1) / 2
            val above = heap[parent]!!
            if (!isBefore(event, above)) break
            put(above, place)
            place = parent
        }
        put(event, place)
    }

    private fun sink(event: Event, from: Int) {
        var place = from
        while (true) {
            var child = place * 2 + 1
            if (child >= size) break
            if (child + 1 < size && isBefore(heap[child + 1]!!, heap[child]!!)) child++
            val below = heap[child]!!
            if (!isBefore(below, event)) break
            put(below, place)
            place = child
        }
        put(event, place)
    }

    private fun put(event: Event, place: Int) {
        heap[place] = event
        event.place = place
    }

    private fun isBefore(a: Event, b: Event) = if (a.at != b.at) a.at < b.at else a.order < b.order

    private companion object {
        const val FIRST_SIZE = 1_024
    }
}
