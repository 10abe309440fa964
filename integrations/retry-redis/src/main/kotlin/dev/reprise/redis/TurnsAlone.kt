package dev.reprise.redis

import dev.reprise.core.shell.time.SECOND
import java.util.concurrent.atomic.AtomicReference

/**
 * The send times of a client that has lost Redis: its places in the fleet's order repeat, so that clients that no
 * longer hear of each other do not meet at the server either.
 *
 * ```
 *  the fleet   A A B B C C A A B B C C |  Redis is gone
 *  client B    . . 1 2 . . . . 3 4 . . |  . . 5 6 . . . . 7 8
 * ```
 *
 * The round is a tenth longer than the fleet's, since clocks differ: a throttled client came too early, and comes a
 * little later from then on. If most are throttled, the server has become slower: the client leaves out every other
 * round, and then again, until it is served. All of these keep places apart. A place may be used as late as a slot, or by a
 * client that keeps slots for calls that do not wait, until the next one. Lock-free.
 */
internal class TurnsAlone(lease: Slots, clients: Int, keeps: Boolean = false) {
    private val size = maxOf(1, lease.left)
    private val gap = lease.gapNanos
    private val round = gap * size * maxOf(1, clients) * SLACK
    private val late = if (keeps) maxOf(Slots.GRACE, (round / size).toLong()) else Slots.GRACE
    private val next = AtomicReference(Place(lease.at(0), size.toLong(), 0, 0, 0))

    /** How often there is a place, a second. */
    val rate: Double get() = size * SECOND / next.get().length

    /** Takes the place that is there [now], if there is one. */
    fun tryTake(now: Long): Boolean {
        while (true) {
            val before = next.get()
            val place = before.from(now - late)
            if (place.at - now > 0) return false
            if (next.compareAndSet(before, place.after(1))) return true
        }
    }

    /** How long from [now] until there is a place with [ahead] others taken before it. */
    fun waitNanos(now: Long, ahead: Int): Long =
        maxOf(if (ahead == 0) 0 else 1, next.get().from(now - late).after(ahead).at - now)

    /** A request that was sent in a place was answered. */
    fun answered(isThrottled: Boolean) {
        next.updateAndGet { if (isThrottled) it.throttled() else it.accepted() }
    }

    /**
     * The place with the number [index], where that with the number 0 is [first]; of 2 to the power of [thinned] rounds one is
     * used. [refused] has a bit for each of the latest answers, and [served] have been accepted one after another.
     */
    private inner class Place(
        private val first: Long,
        private val index: Long,
        private val thinned: Int,
        private val refused: Int,
        private val served: Int,
    ) {
        val length: Double get() = round * (1 shl thinned)

        val at: Long get() = first + (index / size * length + index % size * gap).toLong()

        fun after(count: Int) = Place(first, index + count, thinned, refused, served)

        /** The first place that is not before [moment]. */
        fun from(moment: Long): Place {
            if (at - moment >= 0) return this
            val rounds = ((moment - at) / length).toLong()
            var place = Place(first, index + rounds * size, thinned, refused, served)
            while (place.at - moment < 0) place = place.after(1)
            return place
        }

        fun accepted(): Place {
            if (served + 1 >= MANY && thinned > 0) return thinned(thinned - 1)
            return Place(first, index, thinned, refused shl 1 and LATEST, served + 1)
        }

        fun throttled(): Place {
            val now = refused shl 1 and LATEST or 1
            if (now.countOneBits() > MOST && thinned < LONGEST) return thinned(thinned + 1)
            return Place(first + (gap * LATER).toLong(), index, thinned, now, 0)
        }

        /** This place, and from it on another part of the rounds. */
        private fun thinned(to: Int) = Place(at - (index % size * gap).toLong(), index % size, to, 0, 0)
    }
}

/** How much longer than the fleet's round one's own is. */
private const val SLACK = 1.1

/** How much later a client comes that was throttled: a part of the time between two places. */
private const val LATER = 0.05

/** The latest 16 answers. */
private const val LATEST = 0xFFFF

/** More throttles than this among these answers are not due to clocks. */
private const val MOST = 8

/** After this many accepted in a row, the client uses twice as many rounds. */
private const val MANY = 32

/** One round of 1,024 at least. */
private const val LONGEST = 10
