package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/** Slots that were taken and not used: the next caller may have them, until they lapse. Lock-free. */
internal class UnusedSlots(now: Long) {
    private val count = AtomicInteger()

    @Volatile
    private var until = now

    /** A slot [at] was taken; if put back, it may be used until it lapses. */
    fun taken(at: Long) {
        until = at + Slots.GRACE
    }

    fun putBack() {
        count.incrementAndGet()
    }

    /** Takes one if there is one that is not lapsed [now]. */
    fun tryTake(now: Long): Boolean {
        val isLapsed = now - until > 0
        return count.getAndUpdate { if (isLapsed) 0 else maxOf(0, it - 1) } > 0 && !isLapsed
    }
}
