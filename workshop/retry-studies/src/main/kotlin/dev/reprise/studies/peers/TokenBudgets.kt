package dev.reprise.studies.peers

import dev.reprise.lab.fleet.budget.Budget

/**
 * gRPC's retry throttling (proposal A6): a failure costs a token, a success brings [ratio] of one, and there are retries only
 * while more than half of the [capacity] is there.
 */
internal class GrpcThrottle(override val capacity: Int, private val ratio: Double) : Budget {
    private var tokens = capacity.toDouble()

    override fun tryTake(tokens: Int, operation: String?): Boolean = this.tokens > capacity / 2.0

    override fun attemptEnded(number: Int, isGood: Boolean) {
        tokens = if (isGood) minOf(capacity.toDouble(), tokens + ratio) else maxOf(0.0, tokens - 1)
    }
}

/** Kora's `RetryBudget`: a bucket of [most] retries that begins with [first]; each call that ends well adds [ratio] of one. */
internal class KoraBudget(private val ratio: Double, private val most: Int, first: Int) : Budget {
    private var tokens = first.toDouble()

    override fun tryTake(tokens: Int, operation: String?): Boolean {
        if (this.tokens < 1) return false
        this.tokens--
        return true
    }

    override fun giveBack(tokens: Int, operation: String?): Int {
        this.tokens = minOf(most.toDouble(), this.tokens + 1)
        return 1
    }

    override fun attemptEnded(number: Int, isGood: Boolean) {
        if (isGood) tokens = minOf(most.toDouble(), tokens + ratio)
    }
}
