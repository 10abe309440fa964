package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND

/** A rate that is high enough for any of these tests. */
private const val ENOUGH = 1000.0

/** A client that sends as fast as it may to a server that answers after 20 ms. */
internal class SteadyClient {
    var state = SendRateState(SendRateSettings.STEADY, 0)
        private set
    private var now = 0L

    fun pass(millis: Long) {
        now += millis * 1_000_000
    }

    fun throttle(sentAgo: Long) = answer(RateOutcome.THROTTLED, sentAgo)

    fun answer(answer: RateOutcome, sentAgo: Long) {
        state = state.record(answer, sentAt = now - sentAgo * 1_000_000, now = now)
    }

    fun take() {
        state = state.tryTake(now) ?: state
    }

    /** Every attempt is refused. */
    fun refused(seconds: Int) = repeat(seconds * 1000 / 22) {
        throttle(sentAgo = 1)
        pass(22)
    }

    /** Every attempt that the rate permits is accepted. */
    fun serve(seconds: Double) {
        val end = now + (seconds * SECOND).toLong()
        while (now < end && state.sendRate < ENOUGH) {
            now += (SECOND / state.sendRate).toLong()
            state = state.record(throttled = false, sentAt = now - 20_000_000, now = now)
        }
    }

    val time: Long get() = now

    /** Cut, and back at the top four seconds later. */
    fun recovered(): SteadyClient = apply {
        throttle(sentAgo = 20)
        serve(seconds = 4.0)
    }

    /** Refused for half a second, then accepted: that lowers the rate. Returns the state before that answer. */
    fun lowered(): SendRateState {
        throttle(sentAgo = 0)
        repeat(50) {
            pass(10)
            take()
            throttle(sentAgo = 1)
        }
        pass(15)
        take()
        pass(5)
        val before = state
        answer(RateOutcome.ACCEPTED, sentAgo = 20)
        return before
    }

    /** A client that a server of this many attempts a second has taught its rate, and is about to throttle again. */
    fun settledAt(rate: Double): SteadyClient = apply {
        throttle(sentAgo = 20)
        var allowance = 0.0
        val end = now + 120 * SECOND
        var last = now
        while (true) {
            now += (SECOND / state.sendRate).toLong()
            allowance = minOf(maxOf(1.0, rate / 10), allowance + rate * secondsOf(now - last))
            last = now
            val admitted = allowance >= 1
            if (!admitted && now > end) break
            if (admitted) allowance--
            state = state.record(throttled = !admitted, sentAt = now - 20_000_000, now = now)
        }
    }
}
