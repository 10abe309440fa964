package dev.reprise.coroutines

import dev.reprise.core.NanoClock
import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.SendRate

/** The line for send permits. */
public class SendRateLine internal constructor(
    private val rate: SendRate,
    private val clock: NanoClock,
    private val waiter: Waiter,
) {
    /** Takes a permit if one is there and nobody waits. */
    public fun tryAcquire(): Boolean = rate.tryTake(clock.nanoTime())

    /** Waits in line for a permit. Answers the ns waited, or -1 if refused. */
    public suspend fun acquire(noPermit: NoPermit, deadlineAt: Long): Long {
        val start = clock.nanoTime()
        if (noPermit == NoPermit.Fail) return -1
        while (!rate.tryTake(clock.nanoTime())) {
            val wait = rate.state.waitNanos(clock.nanoTime())
            if (clock.nanoTime() + wait > deadlineAt) return -1
            waiter.await(wait)
        }
        return clock.nanoTime() - start
    }
}
