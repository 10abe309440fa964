package dev.reprise.studies

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.lab.fleet.NANOS
import dev.reprise.test.VirtualTime
import dev.reprise.virtualtime.Chance
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.nanoseconds

/**
 * A simulated world: virtual time, one seeded source of chance, and clients that run the library's own executor. The same
 * seed gives the same history to the byte.
 */
internal class World(seed: Long) {
    val chance = Chance(seed)

    val time: VirtualTime = VirtualTime()

    val seconds: Double get() = time.nanoTime() / NANOS

    /** A retrier of this world: its own quota and send rate, shared with no other. */
    fun retrier(policy: RetryPolicy): Retrier = time.retrier(policy) { chance.uniform() }

    /** Starts [block] now. It has no parent that would keep account of it: there are as many as a fleet makes calls. */
    fun start(block: suspend () -> Unit) = block.startCoroutine(Continuation(time.dispatcher) { it.getOrThrow() })

    suspend fun wait(seconds: Double) = time.suspendFor((seconds * NANOS).toLong().nanoseconds)

    fun passTo(seconds: Double) = time.advance(((seconds * NANOS).toLong() - time.nanoTime()).nanoseconds)
}
