package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind

/**
 * gRPC's retry throttling (proposal A6): a failure costs a token, a success brings [ratio] of one, and there are retries only
 * while more than half of the [capacity] is there.
 */
internal class GrpcThrottle(override val capacity: Int, private val ratio: Double) : Budget {
    private var tokens = capacity.toDouble()

    override val available: Int get() = tokens.toInt()

    override fun tryTake(tokens: Int, operation: String?): Boolean = this.tokens > capacity / 2.0

    override fun attemptEnded(number: Int, isGood: Boolean) {
        tokens = if (isGood) minOf(capacity.toDouble(), tokens + ratio) else maxOf(0.0, tokens - 1)
    }
}
