package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.RateWatcher
import dev.reprise.core.shell.rate.SendRate

/** A client whose calls wait for a permit for [limit] ns at most, in the order of `SendRateLine`. Counts what became of them. */
internal class Limited(
    private val agenda: Agenda,
    private val rate: SendRate,
    private val environment: Environment,
    private val limit: Long,
    private val admits: (Long) -> Boolean,
) : RateWatcher {
    private class Caller(val until: Long)

    private val line = ArrayDeque<Caller>()
    private var planned = 0L
    var calls = 0
        private set
    var sent = 0
        private set
    var admitted = 0
        private set

    override val isWaiting get() = line.isNotEmpty()

    override fun rateChanged() {
        if (isWaiting) look(0)
    }

    init {
        rate.watcherOr(this)
    }

    fun call() {
        calls++
        val now = environment.clock.nanoTime()
        if (!rate.isOn || (line.isEmpty() && rate.tryTake(now))) return send(now)
        if (rate.waitNanos(now, line.size) > limit) return
        val caller = Caller(now + limit)
        line += caller
        if (line.size == 1) turn()
        agenda.plan(agenda.now + limit) { if (line.remove(caller)) turn() }
    }

    fun reset() {
        calls = 0
        sent = 0
        admitted = 0
    }

    private fun look(after: Long) {
        val mine = ++planned
        agenda.plan(agenda.now + after) { if (mine == planned) turn() }
    }

    private fun turn() {
        val now = environment.clock.nanoTime()
        while (line.isNotEmpty()) {
            if (rate.tryTake(now)) {
                line.removeFirst()
                send(now)
                continue
            }
            val wait = rate.waitNanos(now, 0)
            if (wait <= line.first().until - now) return look(wait)
            line.removeFirst()
        }
    }

    private fun send(at: Long) {
        sent++
        agenda.plan(agenda.now + LATENCY / 2) {
            val isAdmitted = admits(agenda.now)
            if (isAdmitted) admitted++
            agenda.plan(agenda.now + LATENCY / 2) {
                val outcome = if (isAdmitted) RateOutcome.ACCEPTED else RateOutcome.THROTTLED
                rate.record(outcome, at, environment.clock.nanoTime())
            }
        }
    }

    private companion object {
        const val LATENCY = 20_000_000L
    }
}
