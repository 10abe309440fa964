package dev.reprise.core.shell.call

import dev.reprise.core.FailureKind
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryEvent.Source
import dev.reprise.core.ServerDelay
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.MachineObserver
import dev.reprise.core.shell.machine.RetryState
import java.util.concurrent.atomic.AtomicLong

/**
 * Sends the events of one call to its listeners. All events of one report have the same time, and times never go back,
 * even if the clock does. Confined to its call.
 */
internal class CallEvents(setup: CallSetup, listeners: Listeners, state: RetryState) : MachineObserver {
    private val listeners = listeners.takeUnless { it.isTelling }
    private val quota = setup.quota
    private val operation = state.options.operation
    private val source =
        Source(ids.incrementAndGet(), setup.name, state.options.label, state.options.target, state.startedAt)
    private var isInAttempt = false
    private var ceilingNanos = 0L
    private var backoffNanos = 0L
    private var serverDelay: ServerDelay? = null

    val callId: Long get() = source.callId

    /** Sets the time to [now], unless the clock was set back. */
    fun at(now: Long): CallEvents {
        if (now - source.at > 0) source.at = now
        return this
    }

    /** Sets the time to the reading of [clock]; if it throws, the time stays. */
    fun atTimeOf(clock: NanoClock): CallEvents = try {
        at(clock.nanoTime())
    } catch (_: Throwable) {
        this
    }

    fun callStarted() = tell(RetryEvent.CallStarted(source))

    fun permitWaited(waitNanos: Long) = tell(RetryEvent.PermitWaited(source, waitNanos))

    fun attemptStarted(attempt: Int) {
        isInAttempt = true
        tell(RetryEvent.AttemptStarted(source, attempt))
    }

    fun hedgeStarted(delayNanos: Long) = tell(RetryEvent.HedgeStarted(source, delayNanos))

    fun hedgeRefused(reason: HedgeRefusal) = tell(RetryEvent.HedgeRefused(source, reason))

    fun hedgeWon() = tell(RetryEvent.HedgeWon(source))

    fun unitJudged(attempt: Int) = tell(RetryEvent.UnitJudged(source, attempt))

    fun attemptFailed(attempt: Int, failure: Throwable?, result: Any?, verdict: Verdict) {
        isInAttempt = false
        tell(RetryEvent.AttemptFailed(source, attempt, failure, result, verdict))
    }

    /** The call ends since [thrown] came in the way; an attempt that was still to be judged has failed with it. */
    fun broke(attempt: Int, thrown: Throwable) {
        if (isInAttempt) attemptFailed(attempt, thrown, null, Verdict.Reject)
    }

    fun serverDelayIgnored(header: ServerDelayHeader) = tell(RetryEvent.ServerDelayIgnored(source, header))

    override fun quotaTaken(tokens: Int) =
        tell(RetryEvent.QuotaTaken(source, tokens, quota!!.available, quota.capacity))

    override fun quotaRefused(tokens: Int) {
        val left = quota!!.available
        tell(RetryEvent.QuotaRefused(source, tokens, left, quota.capacity, quota.available(operation)))
    }

    override fun quotaRefunded(tokens: Int) =
        tell(RetryEvent.QuotaRefunded(source, tokens, quota!!.available, quota.capacity))

    override fun delayed(ceilingNanos: Long, backoffNanos: Long, serverDelay: ServerDelay?, delayNanos: Long) {
        this.ceilingNanos = ceilingNanos
        this.backoffNanos = backoffNanos
        this.serverDelay = serverDelay
    }

    /** Told only once the machine has decided that the delay will be waited. */
    fun retryScheduled(attempt: Int, kind: FailureKind, delay: Long) = tell(
        RetryEvent.RetryScheduled(source, attempt, kind, delay, ceilingNanos, backoffNanos, serverDelay),
    )

    /** The last event, at the [end] of [call] after [attempts] and waits of [waited] ns. */
    fun ended(call: CallRecord, end: CallEnd, attempts: Int, waited: Long) = tell(
        when (end.reason) {
            StopReason.SUCCESS -> RetryEvent.CallSucceeded(source, attempts, waited, call.lastResult)
            StopReason.CANCELLED -> RetryEvent.CallCancelled(source, attempts)
            else -> RetryEvent.CallGaveUp(source, attempts, waited, end.reason, end.delayNanos, end.detail(), call.last)
        },
    )

    private fun tell(event: RetryEvent) = listeners?.onEvent(event) ?: Unit
}

/** Calls that have a listener are numbered through the process, so that no two listeners mix them up. */
private val ids = AtomicLong()
