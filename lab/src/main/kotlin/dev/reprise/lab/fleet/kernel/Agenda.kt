package dev.reprise.lab.fleet.kernel

/** Something that happens at one moment of a simulation. It stands in one [Agenda] at most, once, and may be reused. */
internal abstract class Event {
    /** When it happens, in ns; meaningful while it is planned. */
    internal var at = 0L
    internal var order = 0L
    internal var place = NOWHERE

    /** Whether it will happen. */
    val isPlanned: Boolean get() = place != NOWHERE

    /** Happens; the agenda stands at [at], and the event is no longer planned. */
    abstract fun happen()

    internal companion object {
        const val NOWHERE = -1
    }
}

/**
 * What will happen in a simulation, by time and, where that is the same, by the order of planning: so the same plans give the
 * same history. Virtual time in ns from 0. Confined to one thread.
 *
 * A binary heap whose events know their places: to plan, to plan anew and to cancel cost a logarithm and no object.
 */
internal class Agenda {
    private var heap = arrayOfNulls<Event>(FIRST_SIZE)
    private var size = 0
    private var planned = 0L

    /** The present, in ns. */
    var now = 0L
        private set

    /** How many events have happened. */
    var happened = 0L
        private set

    /** Plans [event] for [at], or for now if that is past; one that is planned already is moved. */
    fun plan(event: Event, at: Long) {
        cancel(event)
        event.at = maxOf(at, now)
        event.order = planned++
        if (size == heap.size) heap = heap.copyOf(size * 2)
        rise(event, size++)
    }

    /** Takes [event] out; nothing happens if it is not planned. */
    fun cancel(event: Event) {
        val place = event.place
        if (place == Event.NOWHERE) return
        event.place = Event.NOWHERE
        val last = heap[--size]!!
        heap[size] = null
        if (last === event) return
        rise(last, place)
        if (last.place == place) sink(last, place)
    }

    /** Lets everything happen that is planned up to [end], and then stands at [end]. */
    fun runUntil(end: Long) {
        while (size > 0) {
            val next = heap[0]!!
            if (next.at > end) break
            cancel(next)
            now = next.at
            happened++
            next.happen()
        }
        now = maxOf(now, end)
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
