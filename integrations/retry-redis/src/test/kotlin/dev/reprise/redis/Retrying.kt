package dev.reprise.redis

import dev.reprise.core.shell.quota.SharedQuota
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import kotlin.concurrent.thread

/** Threads whose calls all need one retry, which then succeeds; as a retrier drives its quota, in real time. */
internal class Retrying(private val quota: SharedQuota, threads: Int = 4) : AutoCloseable {
    private val longest = AtomicLong()

    @Volatile
    private var lives = true
    val paid = AtomicInteger()
    val refused = AtomicInteger()

    /** The longest time in ms that a call waited on for its quota. */
    val longestMs: Double get() = longest.get() / 1e6

    private val running = List(threads) { thread(isDaemon = true) { while (lives) call() } }

    private fun call() {
        val began = System.nanoTime()
        if (!quota.tryTake(14, null)) {
            refused.incrementAndGet()
            LockSupport.parkNanos(BACKOFF)
            return
        }
        val asked = System.nanoTime()
        LockSupport.parkNanos(BACKOFF)
        val due = System.nanoTime()
        while (true) {
            val longer = quota.confirm(14)
            if (longer == 0L) break
            if (longer < 0) {
                quota.giveBack(14, null)
                refused.incrementAndGet()
                return
            }
            LockSupport.parkNanos(longer)
        }
        longest.accumulateAndGet(System.nanoTime() - due + (asked - began), ::maxOf)
        paid.incrementAndGet()
        quota.succeeded(14, null)
    }

    override fun close() {
        lives = false
        running.forEach { it.join() }
    }

    private companion object {
        const val BACKOFF = 5_000_000L
    }
}

/** Waits until [isSo], for at most this many [seconds], which a busy machine needs; the condition is looked at every ms. */
internal fun until(what: String, seconds: Long = 60, isSo: () -> Boolean) {
    val end = System.nanoTime() + seconds * 1_000_000_000
    while (!isSo()) {
        check(System.nanoTime() < end) { "not within $seconds s: $what" }
        LockSupport.parkNanos(1_000_000)
    }
}

/** Takes what a retry costs, as a retrier does when its backoff is over; `false` if it could not be paid. */
internal fun SharedQuota.pays(): Boolean {
    if (!tryTake(14, null)) return false
    while (true) {
        val longer = confirm(14)
        if (longer < 0) giveBack(14, null)
        if (longer <= 0) return longer == 0L
        LockSupport.parkNanos(longer)
    }
}
