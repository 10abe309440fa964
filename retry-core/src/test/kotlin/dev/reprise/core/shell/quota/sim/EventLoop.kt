package dev.reprise.core.shell.quota.sim

import dev.reprise.core.NanoClock
import dev.reprise.virtualtime.EventQueue
import kotlin.math.ln
import kotlin.random.Random

/** Virtual time in seconds, with a seeded source of chance. */
internal class EventLoop(seed: Long) : NanoClock {
    private val queue = EventQueue()

    val random = Random(seed)

    /** The time in seconds. */
    val seconds: Double get() = queue.now / 1e9

    override fun nanoTime(): Long = queue.now

    fun after(seconds: Double, action: () -> Unit) {
        queue.schedule(queue.now + (seconds * 1e9).toLong(), action)
    }

    /** Runs [each] at random moments, [perSecond] times a second on average. */
    fun poisson(perSecond: Double, each: () -> Unit) {
        after(-ln(1 - random.nextDouble()) / perSecond) {
            each()
            poisson(perSecond, each)
        }
    }

    fun runUntil(seconds: Double) = queue.runUntil((seconds * 1e9).toLong())
}
