package dev.reprise.core.call

import dev.reprise.core.machine.Decision
import dev.reprise.core.machine.MachineInput
import dev.reprise.core.machine.RetryMachine
import dev.reprise.core.machine.RetryState

/**
 * How a call ends: once, as the machine decides, whatever throws on the way. The part of [OwnCall] that no step gets past.
 */
internal abstract class EndingCall(setup: CallSetup, state: RetryState, form: CallForm) :
    EndedCall(setup, state, form) {
    protected var hasToDiscard = false
    protected var holdsPermit = false

    override var next: NextStep = NextStep.ATTEMPT
        protected set

    protected val events: CallEvents? get() = record?.events
    protected val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null

    override fun broke(thrown: Throwable): RetryCall =
        if (Thrown.meaningOf(thrown) == Thrown.CANCELLATION) cancels(thrown) else breaks(thrown)

    /** The call ends with [decision], once. */
    protected fun finish(decision: Decision) {
        val record = record()
        record.end = decision
        if (holdsPermit) setup.sendRate!!.putBack()
        holdsPermit = false
        val giveUp = decision as? Decision.GiveUp
        giveUp?.thrown?.let { record.breaks(it, lastFailure) }
        next = when {
            giveUp?.thrown != null -> beforeEnd()
            giveUp != null && giveUp.delayNanos > 0 -> NextStep.WAIT
            else -> NextStep.DONE
        }
        record.events?.ended(decision, attempts, state)
    }

    /** The caller has cancelled the call. A call that has ended, and was still to wait, throws [cause] too. */
    protected fun cancels(cause: Throwable): RetryCall {
        if (end == null) finish(decision(MachineInput.cancelled(hasBegun)))
        record().cancels(cause)
        next = beforeEnd()
        return this
    }

    /** Code of others [threw][thrown] instead of doing its part. A call that has ended stays as it ended. */
    protected fun breaks(thrown: Throwable): RetryCall {
        if (end == null) {
            if (hasBegun) events?.atTimeOf(setup.clock)?.broke(state.attempt, thrown)
            finish(decision(MachineInput.Broken(thrown, hasBegun)))
        } else {
            (record?.thrown ?: lastFailure)?.carry(thrown)
            // A result that the caller is to have, once its wait is over, is not discarded because the wait broke.
            next = if (record?.thrown == null) NextStep.DONE else beforeEnd()
        }
        return this
    }

    /** The machine's word on a [report] that ends the call; without the quota if that is what is broken. */
    protected fun decision(report: MachineInput): Decision.GiveUp = try {
        setup.machine.next(state, report, 0, setup.draws, events?.atTimeOf(setup.clock))
    } catch (_: Throwable) {
        RetryMachine(setup.policy, null).next(state, report, 0, setup.draws)
    } as Decision.GiveUp

    private fun beforeEnd() = if (hasToDiscard) NextStep.DISCARD else NextStep.DONE
}
