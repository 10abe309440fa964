package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.machine.RetryState
import dev.reprise.core.shell.ShellApi

/**
 * One call in progress. It has a [next] step; a shell does just that and reports back, until it is [NextStep.DONE]:
 *
 * ```
 * var call = setup.begin(options, …)
 * while (true) when (call.next) {
 *     WAIT    -> wait call.delayNanos, then call.waited()
 *     PERMIT  -> ask for a send permit, then call.permitted(…) or call.permitRefused()
 *     DISCARD -> close call.rejected(), then call.discarded()
 *     ATTEMPT -> make the attempt call.attemptStarts(), then call = call.completed(…) ?: return, or call = call.failed(…)
 *     DONE    -> throw call.failure() if there is one, else return call.value()
 * }
 * ```
 *
 * The exception of a step is reported to [broke], which ends the call and gives back the tokens of a retry that will
 * not be made. Every call ends once, and tells its listeners so once.
 *
 * A first attempt without a listener, a limit and a needed permit is driven by an object that all such calls share. It
 * has no state; [completed] and [failed] return another object when the call needs one. Any other object is confined to
 * its call; a shell that changes threads hands it over safely. Does no I/O, starts no thread, never waits.
 */
@ShellApi
public abstract class RetryCall internal constructor() {
    /** The setup that this call shares with others, as it was when the call began. */
    public abstract val setup: CallSetup

    /** The next step. */
    public abstract val next: NextStep

    /** How long to wait in a [NextStep.WAIT], in ns. */
    public open val delayNanos: Long get() = 0

    /** When the deadline of this call is reached, in ns of the setup's clock; `Long.MAX_VALUE` if it has none. */
    public open val deadlineAt: Long get() = Long.MAX_VALUE

    /** The wait is over. */
    public open fun waited(): Unit = outOfTurn()

    /** A send permit was granted after a wait of [waitNanos]. It is given back if the attempt never starts. */
    public open fun permitted(waitNanos: Long): Unit = outOfTurn()

    /** There is no send permit, and the policy does not wait for one (that long): the call ends. */
    public open fun permitRefused(): Unit = outOfTurn()

    /** Hands out the result that the caller will not get. From now on the shell owns it. */
    public open fun rejected(): Any? = outOfTurn()

    /** The result that [rejected] handed out is closed. */
    public open fun discarded(): Unit = outOfTurn()

    /** An attempt begins. Returns it as its block sees it. */
    public fun attemptStarts(): Attempt = attemptStarted(RetryState.UNCLOCKED)

    /** Reports an attempt that began at [at], a reading of the setup's clock. For shells that learn of it late. */
    public abstract fun attemptStarted(at: Long): Attempt

    /** The call is a long poll. For shells that learn of it late. Returns the call to report to. */
    public abstract fun asLongPoll(): RetryCall

    /**
     * The attempt returned [result]. Returns `null` if that is accepted: the call is over, and [result] is its result;
     * otherwise the call to go on with. The [work] is asked whether it may be repeated before another attempt follows, and
     * only then; `null` is work that always may. A [verdict] of the shell replaces the classifier's.
     */
    public abstract fun completed(result: Any?, work: Repeatable? = null, verdict: Verdict? = null): RetryCall?

    /** The attempt threw [failure], which means [thrown]; [work] and [verdict] as in [completed]. Returns the call to go on with. */
    public abstract fun failed(
        failure: Throwable,
        thrown: Thrown,
        work: Repeatable? = null,
        verdict: Verdict? = null,
    ): RetryCall

    /**
     * The race of the attempt that has just started, if a copy of it may be sent. For shells that can run two
     * executions at once. Call it before the first execution starts; it has no effect on shells that do not call it.
     */
    public open fun race(): HedgeRace? = null

    /**
     * A step between two attempts threw [thrown]: a cancellation ends the call as cancelled, anything else as rejected.
     * Returns the call to go on with, which may have something to discard.
     */
    public abstract fun broke(thrown: Throwable): RetryCall

    /** The exception that the ended call throws to its caller, or `null` if it returns [value]. */
    public open fun failure(): Throwable? = outOfTurn()

    /** The result that the ended call returns to its caller, unless it throws [failure]. */
    public open fun value(): Any? = outOfTurn()

    /** How the call ended; `null` if its first attempt was accepted and it has no object of its own to tell more. */
    public abstract fun outcome(): RetryOutcome<Any?>?

    private fun outOfTurn(): Nothing = error("the call wants $next and nothing else")
}
