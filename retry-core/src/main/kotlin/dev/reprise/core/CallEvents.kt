package dev.reprise.core

import dev.reprise.core.classify.ServerDelay

/** Tells [listeners] what the machine does about one outcome of [call], all of it at the same reading of the clock. */
internal class CallEvents(private val call: RetryCall, private val listeners: Listeners, private val now: Long) :
    MachineObserver {
    private var scheduled: RetryEvent.RetryScheduled? = null

    override fun quotaTaken(tokens: Int) = listeners.onEvent(RetryEvent.QuotaTaken(call, now, tokens, available()))

    override fun quotaRefused(tokens: Int) = listeners.onEvent(RetryEvent.QuotaRefused(call, now, tokens, available()))

    override fun quotaRefunded(tokens: Int) =
        listeners.onEvent(RetryEvent.QuotaRefunded(call, now, tokens, available()))

    override fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long) {
        val attempt = call.attempts
        scheduled = RetryEvent.RetryScheduled(call, now, attempt, delayNanos, ceilingNanos, backoffNanos, serverDelay)
    }

    /** Told only once the machine has decided that the delay will be waited. */
    fun tellScheduled() {
        scheduled?.let { listeners.onEvent(it) }
    }

    private fun available(): Int = call.setup.quota?.available ?: 0
}
