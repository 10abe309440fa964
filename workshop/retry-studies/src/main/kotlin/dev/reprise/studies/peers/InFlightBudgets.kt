package dev.reprise.studies.peers

import com.netflix.concurrency.limits.Limit
import dev.reprise.lab.fleet.budget.Budget

/** Envoy's `retry_budget`: at most [share] of the calls in flight are in a retry at once, and [least] always may be. */
internal class EnvoyBudget(private val share: Double, private val least: Int) : Budget {
    private var calls = 0
    private var retries = 0

    override val capacity: Int get() = maxOf(least, (share * calls).toInt())

    override fun begins(): Boolean {
        calls++
        return true
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        if (retries >= capacity) return false
        retries++
        return true
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        retries--
        return 1
    }

    override fun attemptEnded(number: Int, isGood: Boolean) {
        if (number > 1) retries--
    }

    override fun ended() {
        calls--
    }
}

/**
 * Netflix's `SimpleLimiter` over the library's own [limit]: an attempt is sent while fewer attempts than that are in
 * flight, and refused at once otherwise. A retry holds its place while it waits for its backoff.
 */
internal class ConcurrencyBudget(private val limit: Limit) : Budget {
    private var inFlight = 0

    override val capacity: Int get() = limit.limit

    override fun begins(): Boolean {
        if (inFlight >= limit.limit) return false
        inFlight++
        return true
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean = begins()

    override fun giveBack(tokens: Int, operation: String?): Int {
        inFlight--
        return 1
    }

    override fun sampled(sentAt: Long, now: Long, isRefused: Boolean) {
        // The answered one is among those in flight, as in the library's listeners.
        limit.onSample(sentAt, maxOf(1, now - sentAt), inFlight, isRefused)
        inFlight--
    }
}
