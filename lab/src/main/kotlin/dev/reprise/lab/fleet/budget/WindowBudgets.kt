package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind
import dev.reprise.virtualtime.Chance

/**
 * Finagle's `RetryBudget` and Linkerd's: each call deposits, each retry withdraws so much that [ratio] of the calls can be
 * retried, and [leastPerSecond] retries a second are free. All over the last ten seconds, withdrawals too.
 */
internal class WindowBudget(private val ratio: Double, private val leastPerSecond: Int, clock: () -> Long) : Budget {
    private val window = Window(SPAN, slices = 10, clock)
    private val reserve = leastPerSecond * SPAN_SECONDS

    /** Retries, when no call was made. */
    override val capacity: Int get() = reserve

    override val available: Int get() = (window.sum * ratio + reserve).toInt()

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
        const val SPAN = 10_000_000_000L
    }
}

/** The SRE book's budget of a client: a retry only while less than [ratio] of the requests of two minutes are retries. */
internal class RetryRatio(private val ratio: Double, clock: () -> Long) : Budget {
    private val requests = Window(SRE_SPAN, slices = 24, clock)
    private val retries = Window(SRE_SPAN, slices = 24, clock)

    override val capacity: Int get() = (requests.sum * ratio).toInt()

    override val available: Int get() = maxOf(0, capacity - retries.sum.toInt())

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
    private val requests = Window(SRE_SPAN, slices = 24, clock)
    private val accepts = Window(SRE_SPAN, slices = 24, clock)

    override val capacity: Int get() = Int.MAX_VALUE

    override val available: Int get() = Int.MAX_VALUE

    override fun begins(): Boolean = isSent()

    override fun tryTake(tokens: Int, operation: String?): Boolean = isSent()

    override fun attemptEnded(number: Int, isGood: Boolean) {
        if (isGood) accepts.add(1.0)
    }

    private fun isSent(): Boolean {
        val asked = requests.sum
        val rejected = maxOf(0.0, (asked - k * accepts.sum) / (asked + 1))
        requests.add(1.0)
        return chance.uniform() >= rejected
    }
}

/** Two minutes, in ns. */
private const val SRE_SPAN = 120_000_000_000L

/** A sum over the last [span] ns, kept in [slices]: older values are forgotten, a slice at a time. */
internal class Window(span: Long, private val slices: Int, private val clock: () -> Long) {
    private val slice = span / slices
    private val sums = DoubleArray(slices)
    private var newest = 0L

    /** The sum at this moment. */
    val sum: Double
        get() {
            forget()
            return sums.sum()
        }

    /** Adds [amount] now. */
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
