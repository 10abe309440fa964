package dev.reprise.lab.demo

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEventListener
import dev.reprise.core.StopReason

/** Counts what happened in all calls together: a listener beside [Timeline]. For one call at a time. */
internal class Tally : RetryEventListener {
    private val ends = sortedMapOf<StopReason, Int>()

    var attempts = 0
        private set

    var waitedNanos = 0L
        private set

    var last: StopReason? = null
        private set

    val calls: Int get() = ends.values.sum()

    override fun onAttemptStarted(event: RetryEvent.AttemptStarted) {
        attempts++
    }

    override fun onPermitWaited(event: RetryEvent.PermitWaited) {
        waitedNanos += event.waitNanos
    }

    override fun onCallSucceeded(event: RetryEvent.CallSucceeded) = end(StopReason.SUCCESS, event.totalDelayNanos)

    override fun onCallGaveUp(event: RetryEvent.CallGaveUp) = end(event.reason, event.totalDelayNanos)

    override fun onCallCancelled(event: RetryEvent.CallCancelled) = end(StopReason.CANCELLED, 0)

    private fun end(reason: StopReason, waited: Long) {
        ends.merge(reason, 1, Int::plus)
        waitedNanos += waited
        last = reason
    }

    /** Such as `6 succeeded, 3 gave up (attempts 1, quota 2), 1 was cancelled`. */
    override fun toString(): String {
        val succeeded = ends[StopReason.SUCCESS] ?: 0
        val cancelled = ends[StopReason.CANCELLED] ?: 0
        val others = ends.filterKeys { it != StopReason.SUCCESS && it != StopReason.CANCELLED }
        val why = others.entries.joinToString { (reason, count) -> "$reason $count" }
        return "$succeeded succeeded, ${others.values.sum()} gave up ($why), $cancelled was cancelled"
    }
}
