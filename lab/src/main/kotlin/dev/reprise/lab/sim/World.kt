package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.test.VirtualTime
import java.util.SplittableRandom
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.math.cos
import kotlin.math.ln
import kotlin.math.sqrt
import kotlin.time.Duration.Companion.nanoseconds

/**
 * A simulated world: virtual time, one seeded source of chance, and clients that run the library's own executor. The same
 * seed gives the same history to the byte.
 */
internal class World(seed: Long) {
    private val random = SplittableRandom(seed)

    /** The clock and the dispatcher. */
    val time: VirtualTime = VirtualTime()

    /** Seconds since the beginning. */
    val seconds: Double get() = time.nanoTime() / NANOS

    /** A retrier of this world: its own quota and send rate, shared with no other. */
    fun retrier(policy: RetryPolicy): Retrier =
        Retrier.builder(policy).clock(time).draws { random.nextDouble() }.waiter(time.waiter).build()

    /** Starts [block] now. It has no parent that would keep account of it: there are as many as a fleet makes calls. */
    fun start(block: suspend () -> Unit) = block.startCoroutine(Continuation(time.dispatcher) { it.getOrThrow() })

    /** Waits. */
    suspend fun wait(seconds: Double) = time.suspendFor((seconds * NANOS).toLong().nanoseconds)

    /** Uniform in [0, 1). */
    fun uniform(): Double = random.nextDouble()

    /** Exponentially distributed: the time to the next of events that come at random. */
    fun exponential(mean: Double): Double = -mean * ln(1 - random.nextDouble())

    /** Normally distributed (Box and Muller). */
    fun normal(mean: Double, deviation: Double): Double =
        mean + deviation * sqrt(-2 * ln(1 - random.nextDouble())) * cos(2 * Math.PI * random.nextDouble())

    /** Lets everything happen until [seconds]. */
    fun passTo(seconds: Double) = time.advance(((seconds * NANOS).toLong() - time.nanoTime()).nanoseconds)

    /** Runs until nothing is left to happen. */
    fun runToEnd() = time.runToEnd()

    private companion object {
        const val NANOS = 1e9
    }
}
