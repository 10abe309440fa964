package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.MachineInput
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.machine.RetryState

/**
 * All first attempts of calls with the same options that have no listener and no limit. Stateless and shared: a call whose
 * first attempt succeeds builds nothing. With a send permit it is a copy that knows when the attempt was sent. Any other
 * outcome makes the call an [OwnCall].
 */
internal class FirstCall private constructor(
    setup: CallSetup,
    val options: CallOptions,
    val kind: ResultKind,
    private val attempt: Attempt,
    private val state: RetryState,
    private val sentAt: Long,
) : RetryCall(setup) {
    constructor(setup: CallSetup, options: CallOptions, kind: ResultKind) : this(
        setup,
        options,
        kind,
        RetryState.first(RetryState.UNCLOCKED, options),
    )

    private constructor(setup: CallSetup, options: CallOptions, kind: ResultKind, state: RetryState) :
        this(setup, options, kind, plainAttempt(setup, state, lastFailure = null), state, CallSetup.NEVER)

    /** This call with a send permit, its attempt sent at [now]. */
    fun sentAt(now: Long): FirstCall = FirstCall(setup, options, kind, attempt, state, now)

    override val next: NextStep get() = NextStep.ATTEMPT

    override fun attemptStarts(): Attempt = attempt

    override fun attemptStarted(at: Long): Attempt = attempt

    override fun completed(result: Any?, work: Repeatable?): RetryCall? {
        val verdict =
            try {
                setup.verdictOn(result, attempt = 1, events = null)
            } catch (e: Throwable) {
                return own().returned(result) { throw e }
            }
        return if (verdict is Verdict.Accept) accepted(result) else own().returned(result, work) { verdict }
    }

    override fun succeeded(): RetryCall? = accepted(Unit)

    private fun accepted(result: Any?): RetryCall? = try {
        if (sentAt != CallSetup.NEVER) {
            setup.answered(Verdict.Accept, result, null, sentAt, setup.clock.nanoTime())
        }
        setup.machine.next(state, MachineInput.Judged.ACCEPTED, 0, setup.draws)
        null
    } catch (e: Throwable) {
        own().returned(result) { throw e }
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall =
        own().failed(failure, thrown, verdict)

    override fun broke(thrown: Throwable): RetryCall = own().broke(thrown)

    override fun forGood(): RetryCall = own().forGood()

    override fun asLongPoll(): RetryCall = own().asLongPoll()

    override fun outcome(): RetryOutcome<Any?>? = null

    /** This call, its attempt under way, as an object of its own. */
    private fun own(): OwnCall {
        val begun = if (sentAt == CallSetup.NEVER) state else RetryState.first(sentAt, options)
        return OwnCall(setup, begun, kind, isOutcome = false).also { it.goesOnFrom(sentAt) }
    }

    override fun toString(): String = "first attempt of $options"
}
