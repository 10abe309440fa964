package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.RateWatcher
import dev.reprise.core.shell.rate.SendRate

/** A server that admits [rate] requests a second and [burst] at once. */
internal class Bucket(var rate: Double, private val burst: Double) {
    private var tokens = burst
    private var at = 0L
    var admitted = 0
        private set

    fun admits(now: Long): Boolean {
        tokens = minOf(burst, tokens + rate * (now - at) / SECOND)
        at = now
        // A slot that is a rounding error early is no request too many.
        if (tokens < 1 - 1e-6) return false
        tokens -= 1
        admitted++
        return true
    }

    fun reset() {
        admitted = 0
    }
}

/**
 * A client with more calls than it may send: [depth] of them always wait for a permit. Counts those that were admitted.
 */
internal class Busy(
    private val agenda: Agenda,
    private val rate: SendRate,
    private val environment: Environment,
    private val server: Bucket,
    private val depth: Int,
    private val latency: Long = 20_000_000,
) {
    private var planned = 0L
    var admitted = 0
    var sent = 0
    var lives = true

    fun begin() {
        rate.watcherOr(
            object : RateWatcher {
                override val isWaiting get() = true

                override fun rateChanged() = look()
            },
        )
        look()
    }

    private fun look() {
        val mine = ++planned
        agenda.plan(agenda.now) { if (mine == planned && lives) turn() }
    }

    private fun turn() {
        var taken = 0
        val now = environment.clock.nanoTime()
        while (taken < MOST && rate.tryTake(now)) {
            send(now)
            taken++
        }
        rate.waitNanos(now, depth)
        val mine = ++planned
        val wait = if (taken == MOST) 1_000_000 else rate.waitNanos(now, 0) + 1_000
        agenda.plan(agenda.now + wait) { if (mine == planned && lives) turn() }
    }

    private fun send(at: Long) {
        sent++
        agenda.plan(agenda.now + latency / 2) {
            val isAdmitted = server.admits(agenda.now)
            if (isAdmitted) admitted++
            agenda.plan(agenda.now + latency / 2) {
                if (!lives) return@plan
                rate.record(
                    if (isAdmitted) RateOutcome.ACCEPTED else RateOutcome.THROTTLED,
                    at,
                    environment.clock.nanoTime(),
                )
            }
        }
    }

    private companion object {
        /** A client without a limit sends no more than so many at once. */
        const val MOST = 1
    }
}
