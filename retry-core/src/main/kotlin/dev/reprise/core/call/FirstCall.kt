package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Report
import dev.reprise.core.machine.RetryState

/**
 * All first attempts of calls with the same options that have no listener and no limit. Stateless and shared: a call whose
 * first attempt succeeds builds nothing. Any other outcome makes the call an object of its own.
 */
internal class FirstCall(setup: CallSetup, val options: CallOptions, val kind: ResultKind) : RetryCall(setup) {
    private val attempt = PlainAttempt(1, isLast = setup.policy.maxAttempts == 1, lastFailure = null)
    private val state = RetryState.first(RetryState.UNCLOCKED, options)

    override val next: NextStep get() = NextStep.ATTEMPT
    override val delayNanos: Long get() = 0
    override val deadlineAt: Long get() = Long.MAX_VALUE

    override fun attemptStarts(): Attempt = attempt

    override fun attemptStarted(at: Long): Attempt = attempt

    override fun asLongPoll(): RetryCall = own(CallSetup.NEVER).asLongPoll()

    override fun completed(result: Any?): RetryCall? = completed(result, CallSetup.NEVER)

    override fun succeeded(): RetryCall? = accepted(Unit, CallSetup.NEVER)

    override fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall =
        own(CallSetup.NEVER).failed(failure, thrown, verdict)

    override fun forGood(): RetryCall = own(CallSetup.NEVER).forGood()

    override fun broke(thrown: Throwable): RetryCall = own(CallSetup.NEVER).broke(thrown)

    /** [completed] of an attempt that was sent at [sentAt]. */
    fun completed(result: Any?, sentAt: Long): RetryCall? {
        val verdict =
            try {
                setup.verdictOn(result)
            } catch (e: Throwable) {
                return own(sentAt).returned(result) { throw e }
            }
        return if (verdict is Verdict.Accept) accepted(result, sentAt) else own(sentAt).returned(result) { verdict }
    }

    /** The attempt, sent at [sentAt], returned a [result] that is accepted. */
    fun accepted(result: Any?, sentAt: Long): RetryCall? = try {
        if (sentAt != CallSetup.NEVER) {
            setup.answered(Verdict.Accept, result, null, sentAt, setup.clock.nanoTime())
        }
        setup.machine.next(state, Report.Judged.ACCEPTED, 0, setup.draws)
        null
    } catch (e: Throwable) {
        own(sentAt).returned(result) { throw e }
    }

    /** The call of an attempt that was sent at [sentAt], as an object of its own. */
    fun own(sentAt: Long): OwnCall {
        val begun = if (sentAt == CallSetup.NEVER) state else RetryState.first(sentAt, options)
        return OwnCall(setup, begun, kind, asOutcome = false).also { it.goesOnFrom(sentAt) }
    }

    override fun waited(): Unit = outOfTurn()

    override fun permitted(waitNanos: Long): Unit = outOfTurn()

    override fun permitRefused(): Unit = outOfTurn()

    override fun rejected(): Any? = outOfTurn()

    override fun discarded(): Unit = outOfTurn()

    override fun failure(): Throwable? = outOfTurn()

    override fun value(): Any? = outOfTurn()

    override fun outcome(): RetryOutcome<Any?>? = null

    private fun outOfTurn(): Nothing = error("a first attempt is made or reported, nothing else")

    override fun toString(): String = "first attempt of $options"
}
