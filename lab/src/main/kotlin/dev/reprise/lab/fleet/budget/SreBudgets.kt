package dev.reprise.lab.fleet.budget

import dev.reprise.core.classify.FailureKind
import dev.reprise.lab.fleet.kernel.Chance

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
 * The SRE book's client-side throttle: of the requests of two minutes, so many are not sent that the others are about [k] times
 * those that the server accepted. It holds back first attempts too.
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
