package dev.reprise.redis

import java.util.concurrent.atomic.AtomicInteger

/**
 * The outcomes of attempts in the slots of one generation that are not yet reported; the first slot is at [since].
 * Answers to requests that were sent before say nothing about the rate of this generation.
 */
internal class Counts(val generation: String, val since: Long) {
    private val accepted = AtomicInteger()
    private val throttled = AtomicInteger()

    val hasThrottles: Boolean get() = throttled.get() > 0

    fun count(isThrottled: Boolean) {
        (if (isThrottled) throttled else accepted).incrementAndGet()
    }

    /** Returns how many were accepted and throttled, and counts from zero again. */
    fun take(): Pair<Int, Int> = accepted.getAndSet(0) to throttled.getAndSet(0)

    /** Counts again what was taken and could not be told. */
    fun add(counts: Pair<Int, Int>) {
        accepted.addAndGet(counts.first)
        throttled.addAndGet(counts.second)
    }
}
