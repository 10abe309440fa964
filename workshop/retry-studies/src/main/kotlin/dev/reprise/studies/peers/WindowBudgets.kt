package dev.reprise.studies.peers

import dev.reprise.lab.fleet.budget.Budget
import dev.reprise.virtualtime.Chance

/**
 * Finagle's `RetryBudget` and Linkerd's: each call deposits, each retry withdraws so much that [ratio] of the calls can be
 * retried, and [leastPerSecond] retries a second are free. All over the last ten seconds, withdrawals too.
 */
internal class WindowBudget(private val ratio: Double, private val leastPerSecond: Int, clock: () -> Long) : Budget {
    private val window = Window(seconds = SPAN_SECONDS, slices = 10, clock)
    private val reserve = leastPerSecond * SPAN_SECONDS

    override fun begins(): Boolean {
        window.add(1.0)
        return true
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        if (window.sum * ratio + reserve < 1) return false
        window.add(-1 / ratio)
        return true
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        window.add(1 / ratio)
        return 1
    }

    private companion object {
        const val SPAN_SECONDS = 10
    }
}

/** The SRE book's budget of a client: a retry only while less than [ratio] of the requests of two minutes are retries. */
internal class RetryRatio(private val ratio: Double, clock: () -> Long) : Budget {
    private val requests = Window(seconds = 120, slices = 24, clock)
    private val retries = Window(seconds = 120, slices = 24, clock)

    override fun begins(): Boolean {
        requests.add(1.0)
        return true
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        if (retries.sum >= ratio * requests.sum) return false
        requests.add(1.0)
        retries.add(1.0)
        return true
    }
}

/**
 * The SRE book's client-side throttle. In a window of two minutes it drops requests, so that the sent ones are about
 * [k] times the requests that the server accepted. It holds back first attempts too.
 */
internal class AcceptThrottle(private val k: Double, private val chance: Chance, clock: () -> Long) : Budget {
    private val requests = Window(seconds = 120, slices = 24, clock)
    private val accepts = Window(seconds = 120, slices = 24, clock)

    override fun begins(): Boolean {
        val asked = requests.sum
        val rejected = maxOf(0.0, (asked - k * accepts.sum) / (asked + 1))
        requests.add(1.0)
        return chance.uniform() >= rejected
    }

    override fun tryTake(tokens: Int, operation: String?): Boolean = begins()

    override fun attemptEnded(number: Int, isGood: Boolean) {
        if (isGood) accepts.add(1.0)
    }
}

/** A sum over the last [seconds], kept in [slices]: older values are forgotten, a slice at a time. */
private class Window(seconds: Int, private val slices: Int, private val clock: () -> Long) {
    private val slice = seconds * 1_000_000_000L / slices
    private val sums = DoubleArray(slices)
    private var newest = 0L

    val sum: Double
        get() {
            forget()
            return sums.sum()
        }

    fun add(amount: Double) {
        forget()
        sums[(newest % slices).toInt()] += amount
    }

    private fun forget() {
        val now = clock() / slice
        repeat(minOf(now - newest, slices.toLong()).toInt()) { sums[((newest + 1 + it) % slices).toInt()] = 0.0 }
        newest = maxOf(newest, now)
    }
}
