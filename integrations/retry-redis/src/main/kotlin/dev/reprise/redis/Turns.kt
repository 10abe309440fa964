package dev.reprise.redis

import java.util.concurrent.atomic.AtomicReference

/**
 * When a client sends that has lost Redis: its places in the fleet's order come round again and again, so that clients which no
 * longer hear of each other do not meet at the server either.
 *
 * ```
 *  the fleet   A A B B C C A A B B C C |  Redis is gone
 *  client B    . . 1 2 . . . . 3 4 . . |  . . 5 6 . . . . 7 8
 * ```
 *
 * Each throttle makes the round 3 % longer, and accepted answers make it shorter again, but never shorter than the fleet's.
 * A place may be used as late as a slot. Lock-free.
 */
internal class Turns(lease: Slots, clients: Int) {
    private val size = maxOf(1, lease.left)
    private val gap = lease.gapNanos
    private val round = gap * size * maxOf(1, clients)
    private val next = AtomicReference(Place(lease.at(0), size.toLong(), 1.0))

    /** How often there is a place, a second. */
    val rate: Double get() = size * SECOND / (round * next.get().stretch)

    /** Takes the place that is there [now], if there is one. */
    fun tryTake(now: Long): Boolean {
        while (true) {
            val before = next.get()
            val place = before.from(now - Slots.GRACE)
            if (place.at - now > 0) return false
            if (next.compareAndSet(before, place.after(1))) return true
        }
    }

    /** How long from [now] until there is a place with [ahead] others taken before it. */
    fun waitNanos(now: Long, ahead: Int): Long =
        maxOf(if (ahead == 0) 0 else 1, next.get().from(now - Slots.GRACE).after(ahead).at - now)

    /** An answer came to what was sent in a place. */
    fun answered(isThrottled: Boolean) {
        next.updateAndGet {
            val stretch = it.stretch * if (isThrottled) LONGER else SHORTER
            if (stretch == it.stretch) it else it.stretched(stretch.coerceIn(1.0, LONGEST))
        }
    }

    /** The place with the number [index], where that with the number 0 is [first]. */
    private inner class Place(val first: Long, val index: Long, val stretch: Double) {
        val at: Long get() = first + ((index / size * round + index % size * gap) * stretch).toLong()

        fun after(count: Int) = Place(first, index + count, stretch)

        /** The first place that is not before [moment]. */
        fun from(moment: Long): Place {
            if (at - moment >= 0) return this
            val rounds = ((moment - at) / (round * stretch)).toLong()
            var place = Place(first, index + rounds * size, stretch)
            while (place.at - moment < 0) place = place.after(1)
            return place
        }

        /** This place, and from it on another length of the round. */
        fun stretched(length: Double) = Place((at - (index % size) * gap * length).toLong(), index % size, length)
    }

    private companion object {
        const val SECOND = 1e9
        const val LONGER = 1.03
        const val SHORTER = 0.999
        const val LONGEST = 1_000.0
    }
}
