package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind

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
