package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Verdict
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.machine.RetryState

/**
 * All first attempts of calls with the same options that have no listener and no limit. Stateless and shared: a call whose
 * first attempt succeeds builds nothing. With a send permit it is a copy that knows when the permit was taken, and whether the
 * attempt has begun. Any other outcome makes the call an [OwnCall].
 */
internal class FirstCall(
    val attempt: PlainAttempt,
    val kind: ResultKind,
    override val tickBefore: Int,
    private val sentAt: Long = RetryState.UNCLOCKED,
) : RetryCall() {
    /** Whether the permit, if there is one, is used. */
    private var hasBegun = sentAt == RetryState.UNCLOCKED

    override val setup: CallSetup get() = attempt.setup

    val options: CallOptions get() = attempt.state.options

    override val isPlain: Boolean get() = true

    override val next: NextStep get() = NextStep.ATTEMPT

    /** This call with a send permit, its attempt sent at [now]. */
    fun sentAt(now: Long): FirstCall = FirstCall(attempt, kind, tickBefore, now)

    /** This call as one of [setup]. */
    fun of(setup: CallSetup): FirstCall = FirstCall(PlainAttempt(setup, attempt.state, null), kind, tickBefore, sentAt)

    override fun attemptStarted(at: Long): Attempt {
        if (sentAt != RetryState.UNCLOCKED) hasBegun = true
        return attempt
    }

    override fun withdrawn() {
        hasBegun = sentAt == RetryState.UNCLOCKED
    }

    override fun completed(result: Any?, verdict: Verdict?, scope: AttemptScope?): RetryCall? {
        val judged = runCatching {
            val judged = verdict ?: setup.judge.verdictOn(result, attempt = 1, events = null)
            if (judged is Verdict.Accept) return accepted(result)
            judged
        }
        return own().returned(result, judged, scope)
    }

    private fun accepted(result: Any?): RetryCall? {
        if (sentAt != RetryState.UNCLOCKED) {
            setup.answered(Verdict.Accept, result, null, sentAt, setup.clock.nanoTime())
        }
        setup.machine.next(attempt.state, setup.machine.accepted, 0, setup.draws)
        return null
    }

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?, scope: AttemptScope?): RetryCall =
        own().failed(failure, thrown, verdict, scope)

    override fun broke(thrown: Throwable): RetryCall = if (hasBegun) own().broke(thrown) else unsent().broke(thrown)

    override fun under(setup: CallSetup): RetryCall = own().under(setup)

    override fun asLongPoll(): RetryCall = own().asLongPoll()

    override fun outcome(): RetryOutcome<Any?>? = null

    /** This call, its attempt under way, as an object of its own. */
    private fun own(): OwnCall {
        val begun = if (sentAt == RetryState.UNCLOCKED) attempt.state else RetryState.first(sentAt, options)
        return OwnCall(this, begun, isOutcome = false).beginsLate(sentAt)
    }

    /** This call, which has a permit and no attempt, as an object of its own. */
    private fun unsent() = OwnCall(this, RetryState.first(sentAt, options), isOutcome = false).apply { permitted(0) }

    override fun toString(): String = "first attempt of $options"
}
