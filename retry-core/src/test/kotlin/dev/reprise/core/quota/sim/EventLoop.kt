package dev.reprise.core.quota.sim

import dev.reprise.core.time.NanoClock
import java.util.PriorityQueue
import kotlin.math.ln
import kotlin.random.Random

/** Virtual time: events in the order of their time, and of their making where that is equal. */
internal class EventLoop(seed: Long) : NanoClock {
    private class Event(val at: Long, val number: Long, val run: () -> Unit)

    private val events = PriorityQueue<Event>(compareBy<Event> { it.at }.thenBy { it.number })
    private var now = 0L
    private var made = 0L

    val random = Random(seed)

    /** The time in seconds. */
    val seconds: Double get() = now / 1e9

    override fun nanoTime(): Long = now

    fun after(seconds: Double, run: () -> Unit) {
        events += Event(now + (seconds * 1e9).toLong(), made++, run)
    }

    /** Runs [each] at random moments, [perSecond] times a second on average. */
    fun poisson(perSecond: Double, each: () -> Unit) {
        after(-ln(1 - random.nextDouble()) / perSecond) {
            each()
            poisson(perSecond, each)
        }
    }

    fun runUntil(seconds: Double) {
        while (events.isNotEmpty() && events.peek().at <= seconds * 1e9) {
            val next = events.poll()
            now = next.at
            next.run()
        }
    }
}
