package dev.reprise.conformance

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.test.VirtualTime

/** What can be seen of a scenario from outside: every event, how each call ended and when, and what is left. */
class Trace : RetryListener {
    private val lines = mutableListOf<String>()

    /** How each call ended. */
    val ends = mutableListOf<End>()

    /** The same as text, with the time: what can be seen without a listener. */
    val endings = mutableListOf<String>()

    class End(val reason: StopReason, val quota: Int?, val waitsNanos: List<Long>)

    private val waits = mutableListOf<Long>()
    private var failedAt = -1L

    override fun onEvent(event: RetryEvent) {
        lines += "$event"
        if (event is RetryEvent.AttemptStarted) waited(event.atNanos)
        if (event is RetryEvent.AttemptFailed) failedAt = event.atNanos
    }

    private fun waited(until: Long) {
        if (failedAt in 0 until until) waits += until - failedAt
        failedAt = -1
    }

    fun ended(outcome: RetryOutcome<Any?>, time: VirtualTime, quota: Int?) {
        waited(time.nanoTime())
        ends += End(outcome.reason, quota, waits.toList())
        waits.clear()
        lines += "$outcome after ${outcome.totalDelayNanos} ns of waits"
        if (outcome is RetryOutcome.Failure) lines += "${RetryTrace.of(outcome.failure)}"
        lines += "at ${time.nanoTime()}, quota $quota, timers ${time.pending}"
        endings +=
            "$outcome after ${outcome.totalDelayNanos} ns of waits at ${time.nanoTime()}, quota $quota, ${time.pending} timers"
    }

    override fun toString(): String = lines.joinToString("\n")
}
