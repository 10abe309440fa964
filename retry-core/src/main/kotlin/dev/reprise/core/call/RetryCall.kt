package dev.reprise.core.call

import dev.reprise.core.Attempt
import dev.reprise.core.RetryOutcome
import dev.reprise.core.classify.Verdict
import dev.reprise.core.machine.Repeatable
import dev.reprise.core.shell.ShellApi

/**
 * One call in progress. It says what comes [next]; a shell does just that and reports back, until it is [NextStep.DONE]:
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
 * Whatever a step throws is reported to [broke], which ends the call and gives back what was taken for a retry that will
 * not be made. Every call ends once, and tells its listeners so once.
 *
 * A first attempt that has no listener, no limit and needs no permit is driven by an object that all such calls share: it
 * has no state, and [completed] and [failed] return another one when the call needs it. Any other object is confined to its
 * call; a shell that hops threads hands it over safely. Does no I/O, starts no thread, never waits.
 */
@ShellApi
public abstract class RetryCall internal constructor(
    /** What this call shares with others: what was in force when it began. */
    public val setup: CallSetup,
) {
    /** What the shell does now. */
    public abstract val next: NextStep

    /** What to wait in a [NextStep.WAIT], in ns. */
    public abstract val delayNanos: Long

    /** When the deadline of this call is reached, in ns of the setup's clock; `Long.MAX_VALUE` if it has none. */
    public abstract val deadlineAt: Long

    /** The wait is over. */
    public abstract fun waited()

    /** A send permit was had after a wait of [waitNanos]. It is given back if the attempt never starts. */
    public abstract fun permitted(waitNanos: Long)

    /** There is no send permit, and the policy does not wait for one (that long): the call ends. */
    public abstract fun permitRefused()

    /** Hands out the result that the caller will not get. From now on the shell owns it. */
    public abstract fun rejected(): Any?

    /** What [rejected] gave is closed. */
    public abstract fun discarded()

    /** An attempt begins. Returns what its block may know. */
    public abstract fun attemptStarts(): Attempt

    /** [attemptStarts] of an attempt that began at [at], a reading of the setup's clock: of a shell that is told late. */
    public abstract fun attemptStarted(at: Long): Attempt

    /** The call is a long poll, which its shell learns only now. Returns the call to report to. */
    public abstract fun asLongPoll(): RetryCall

    /**
     * The attempt returned [result]. Returns `null` if that is accepted: the call is over, and [result] is what it gives;
     * otherwise the call to go on with.
     */
    public fun completed(result: Any?): RetryCall? = completed(result, null)

    /**
     * [completed] of [work] that is asked whether it may be repeated before another attempt follows a rejected [result]. It is
     * not asked about a result that the caller gets. `null` is work that may always be repeated.
     */
    public abstract fun completed(result: Any?, work: Repeatable?): RetryCall?

    /** [completed] of an attempt that has no result to judge. */
    public abstract fun succeeded(): RetryCall?

    /** The attempt threw [failure], which means [thrown]. Returns the call to go on with. */
    public fun failed(failure: Throwable, thrown: Thrown): RetryCall = failed(failure, thrown, null)

    /**
     * [failed] with the [verdict] of a shell that alone can read [failure], such as an SDK's exception with the response in
     * it; the classifier is then not asked. `null` leaves the verdict to the classifier.
     */
    public abstract fun failed(failure: Throwable, thrown: Thrown, verdict: Verdict?): RetryCall

    /**
     * The attempt under way is the last one, whatever the policy says: the caller has had a part of its result, or what it
     * sends is used up. Returns the call to report to.
     */
    public abstract fun forGood(): RetryCall

    /**
     * A step between two attempts threw [thrown]: a cancellation ends the call as cancelled, anything else as rejected.
     * Returns the call to go on with, which may have something to discard.
     */
    public abstract fun broke(thrown: Throwable): RetryCall

    /** What the ended call throws to its caller, or `null` if it returns [value]. The shell throws it: that is cheap there. */
    public abstract fun failure(): Throwable?

    /** What the ended call returns to its caller, unless it throws [failure]. */
    public abstract fun value(): Any?

    /** How the call ended; `null` if its first attempt was accepted and it has no object of its own to tell more. */
    public abstract fun outcome(): RetryOutcome<Any?>?
}
