package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Verdict
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.GiveUps
import dev.reprise.core.shell.layers.MarkCarriers
import dev.reprise.core.shell.machine.RetryState
import java.util.concurrent.CancellationException

/**
 * One call in progress. It has a [next] step; a shell does just that and reports back, until it is [NextStep.DONE]. The
 * exception of a step between two attempts is reported to [broke]. Every call ends once, and tells its listeners so once.
 *
 * A first attempt without a listener, a limit and a needed permit is driven by an object that all such calls share. It
 * has no state; [completed] and [failed] return another object when the call needs one. Any other object is confined to
 * its call; a shell that changes threads hands it over safely. Does no I/O, starts no thread, never waits.
 */
@ShellApi
public abstract class RetryCall internal constructor() {
    /** The setup that this call shares with others, as it was when the call began. */
    public abstract val setup: CallSetup

    /** Whether an attempt comes next that has neither a limit nor a race. */
    public abstract val isPlain: Boolean

    /** The next step. */
    public abstract val next: NextStep

    /** Whether the call has ended. It may still have something to wait for or to discard; no attempt follows. */
    public open val hasEnded: Boolean get() = false

    /** How long to wait in a [NextStep.WAIT], in ns. */
    public open val delayNanos: Long get() = 0

    /** The exception of the last attempt that was reported; `null` if it returned [lastResult], or there was none. */
    public open val lastFailure: Throwable? get() = null

    /** The result of the last attempt that was reported; `null` if it threw [lastFailure]. */
    public open val lastResult: Any? get() = null

    /** When the deadline of this call is reached, in ns of the setup's clock; `Long.MAX_VALUE` if it has none. */
    public open val deadlineAt: Long get() = Long.MAX_VALUE

    /** Until when the next attempt may wait for its send permit, as [deadlineAt]: no retry begins after the policy's `stopAfter`. */
    public open val permitUntil: Long get() = Long.MAX_VALUE

    /** The tick of the last give-up before the attempt under way. */
    internal abstract val tickBefore: Int

    /**
     * Whether [outcome] of the attempt under way carries a mark that may be of a call inside it. Then the attempt's scope is to
     * be reported. Where no call of the process has given up meanwhile, the outcome is not looked at.
     */
    public fun isMarked(outcome: Any?): Boolean = GiveUps.now() != tickBefore && MarkCarriers.isMarked(outcome)

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

    /** The work of the attempt that was started has not begun, and will not: the call is about to end. What the attempt took comes back. */
    public abstract fun withdrawn()

    /**
     * Goes on under [setup], of the same client, quota, send rate and listeners under another policy with the same limits of time.
     * For shells that learn only from a failure whose policy the call has. Before that is reported. Returns the call to report to.
     */
    public abstract fun under(setup: CallSetup): RetryCall

    /** The call is a long poll. For shells that learn of it late. Returns the call to report to. */
    public abstract fun asLongPoll(): RetryCall

    /**
     * The attempt returned [result]. Returns `null` if that is accepted: the call is over, and [result] is its result;
     * otherwise the call to go on with. A [verdict] of the shell replaces the classifier's. The [scope] of the attempt tells which
     * calls were made inside it, if the outcome [is marked][isMarked]; otherwise it is not needed.
     */
    public abstract fun completed(result: Any?, verdict: Verdict? = null, scope: AttemptScope? = null): RetryCall?

    /** Tells that a call which has ended was made where [scope] says, in place of what its attempts say. Before [failure]. */
    public open fun madeIn(scope: AttemptScope) {}

    /** The attempt threw [failure], which means [thrown]; the others are as in [completed]. Returns the call to go on with. */
    public abstract fun failed(
        failure: Throwable,
        thrown: Thrown,
        verdict: Verdict? = null,
        scope: AttemptScope? = null,
    ): RetryCall

    /** Says whether the work [mayRepeat]; if not, the call ends. */
    public open fun repeats(mayRepeat: Boolean): Unit = outOfTurn()

    /**
     * The race of the attempt that has just started, if a copy of it may be sent. For shells that can run two
     * executions at once. Call it before the first execution starts; it has no effect on shells that do not call it.
     */
    public open fun race(): HedgeRace? = null

    /**
     * A step between two attempts threw [thrown]: a cancellation ends the call as cancelled, anything else as rejected,
     * and the tokens of a retry that will not be made come back. Returns the call to go on with, which may have something
     * to discard.
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

/** The next step of a call. Its shell does just that, and reports back. */
@ShellApi
public enum class NextStep {
    /** Wait [RetryCall.delayNanos], then report [RetryCall.waited]. */
    WAIT,

    /** Ask for a send permit, then report [RetryCall.permitted] or [RetryCall.permitRefused]. */
    PERMIT,

    /** Close or release [RetryCall.rejected], which the caller will not get, then report [RetryCall.discarded]. */
    DISCARD,

    /** Report [RetryCall.attemptStarts], make the attempt, then report [RetryCall.completed] or [RetryCall.failed]. */
    ATTEMPT,

    /** The policy would retry: report [RetryCall.repeats], by what the work says. Nothing is paid for yet. */
    REPEAT,

    /** The call is over: throw [RetryCall.failure], or return [RetryCall.value]. */
    DONE,
}

/** The kind of a shell's results. It decides when a replaced result is discarded. */
@ShellApi
public enum class ResultKind(internal val isReleasedBeforeWait: Boolean, internal val isGoneOnceReleased: Boolean) {
    /** A plain value. There is nothing to discard. */
    VALUE(false, false),

    /** Something to close: right before the next attempt, once its permit is held. Until then it may still be delivered. */
    CLOSEABLE(false, true),

    /** Something that holds a connection: released before the wait. A call that then gets no permit delivers nothing. */
    CONNECTION(true, true),

    /** As [CONNECTION], but its head outlives the release and can still be delivered. */
    RESPONSE(true, false),
}

/** The meaning of an exception of an attempt or of a wait, for all faces. */
@ShellApi
public enum class Thrown {
    /** A failure, which the policy's classifier judges. */
    FAILURE,

    /** A limit that the block had set itself ran out: a transient failure unless the classifier says otherwise. */
    TIMEOUT,

    /** The caller has cancelled the call. It ends at once, and nothing is classified. */
    CANCELLATION,
    ;

    public companion object {
        /**
         * The meaning of [failure]. Cancellation and interruption end the call. Only a shell knows the one exception:
         * [isTimeoutOfBlock], an apparent cancellation that ends a limit inside the block. A shell whose own limit has fired
         * fails the attempt with an [AttemptTimeoutException][dev.reprise.core.AttemptTimeoutException] instead.
         */
        @JvmStatic
        @JvmOverloads
        public fun meaningOf(failure: Throwable, isTimeoutOfBlock: Boolean = false): Thrown = when {
            isTimeoutOfBlock -> TIMEOUT
            failure is CancellationException || failure is InterruptedException -> CANCELLATION
            else -> FAILURE
        }
    }
}
