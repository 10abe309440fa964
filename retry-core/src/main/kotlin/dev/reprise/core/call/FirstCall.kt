package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.MachineInput
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.machine.RetryState

/**
 * All first attempts of calls with the same options that have no listener and no limit. Stateless and shared: a call whose
 * first attempt succeeds builds nothing. Any other outcome makes the call an object of its own.
 */
internal class FirstCall(setup: CallSetup, val options: CallOptions, val kind: ResultKind) : AttemptingCall(setup) {
    private val attempt = PlainAttempt(1, isLast = setup.policy.maxAttempts == 1, lastFailure = null)
    private val state = RetryState.first(RetryState.UNCLOCKED, options)

    override fun own(): OwnCall = own(CallSetup.NEVER)

    override fun attemptStarts(): Attempt = attempt

    override fun attemptStarted(at: Long): Attempt = attempt

    override fun completed(result: Any?, work: Repeatable?): RetryCall? = completed(result, work, CallSetup.NEVER)

    override fun succeeded(): RetryCall? = accepted(Unit, CallSetup.NEVER)

    /** [completed] of an attempt that was sent at [sentAt]. */
    fun completed(result: Any?, work: Repeatable?, sentAt: Long): RetryCall? {
        val verdict =
            try {
                setup.verdictOn(result, attempt = 1, events = null)
            } catch (e: Throwable) {
                return own(sentAt).returned(result) { throw e }
            }
        return if (verdict is Verdict.Accept) {
            accepted(result, sentAt)
        } else {
            own(sentAt).returned(result, work) {
                verdict
            }
        }
    }

    /** The attempt, sent at [sentAt], returned a [result] that is accepted. */
    fun accepted(result: Any?, sentAt: Long): RetryCall? = try {
        if (sentAt != CallSetup.NEVER) {
            setup.answered(Verdict.Accept, result, null, sentAt, setup.clock.nanoTime())
        }
        setup.machine.next(state, MachineInput.Judged.ACCEPTED, 0, setup.draws)
        null
    } catch (e: Throwable) {
        own(sentAt).returned(result) { throw e }
    }

    /** The call of an attempt that was sent at [sentAt], as an object of its own. */
    fun own(sentAt: Long): OwnCall {
        val begun = if (sentAt == CallSetup.NEVER) state else RetryState.first(sentAt, options)
        return OwnCall(setup, begun, CallForm.of(kind)).also { it.goesOnFrom(sentAt) }
    }

    override fun toString(): String = "first attempt of $options"
}
