package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import kotlin.concurrent.thread

/** A thread that always has something to send, as fast as [rate] permits, to a server that [admits]; in real time. */
internal class Sending(private val rate: SendRate, private val admits: () -> Boolean) : AutoCloseable {
    private val longest = AtomicLong()
    private var sentAt = now()

    @Volatile
    private var lives = true
    val sent = AtomicInteger()
    val admitted = AtomicInteger()

    /** The longest time in ms between two attempts since the last call of this. */
    fun longestGapMs(): Double = longest.getAndSet(0) / 1e6

    private val running = thread(isDaemon = true) { while (lives) turn() }

    private fun turn() {
        val now = now()
        if (!rate.tryTake(now)) {
            LockSupport.parkNanos(rate.waitNanos(now, 0).coerceIn(LEAST_PARK, MOST_PARK))
            return
        }
        longest.accumulateAndGet(now - sentAt, ::maxOf)
        sentAt = now
        sent.incrementAndGet()
        val isAdmitted = admits()
        if (isAdmitted) admitted.incrementAndGet()
        LockSupport.parkNanos(LATENCY)
        rate.record(if (isAdmitted) RateOutcome.ACCEPTED else RateOutcome.THROTTLED, now, now())
    }

    private fun now() = Retrier.SYSTEM_CLOCK.nanoTime()

    override fun close() {
        lives = false
        running.join()
    }

    private companion object {
        const val LATENCY = 1_000_000L
        const val LEAST_PARK = 100_000L
        const val MOST_PARK = 5_000_000L
    }
}
