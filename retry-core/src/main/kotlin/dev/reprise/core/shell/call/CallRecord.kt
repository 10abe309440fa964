package dev.reprise.core.shell.call

import dev.reprise.core.FailedAttempt
import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.machine.RetryState

/**
 * The record of a call that has an object of its own: its attempts and waits so far, and how it ended. [OwnCall] takes the
 * steps and writes them down here; shells and [CallEnd] read. Confined to its call.
 */
internal abstract class CallRecord(
    private var first: FirstCall,
    state: RetryState,
    /** Whether the caller wants to know how the call ended, and not its result. */
    protected val isOutcome: Boolean,
) : RetryCall() {
    final override val setup: CallSetup get() = first.setup
    protected val kind: ResultKind get() = first.kind

    /** The attempt that comes next, runs, or has just ended. */
    var state: RetryState = state
        protected set

    val events: CallEvents? = setup.audience?.let { CallEvents(setup, it, state) }

    protected var end: CallEnd? = null

    final override val hasEnded: Boolean get() = end != null

    final override val deadlineAt: Long get() = setup.machine.limits.deadlineAt(state)

    final override val permitUntil: Long get() = setup.machine.limits.beginsUntil(state)

    protected fun now(): Long = if (state.isTimed) setup.clock.nanoTime() else 0

    final override fun under(setup: CallSetup): RetryCall = apply { first = first.of(setup) }

    final override fun asLongPoll(): RetryCall = apply { state = state.longPoll() }

    // The attempts

    /** Whether the attempt of the [state] has begun. */
    protected var hasBegun: Boolean = false

    /** How many attempts have begun. */
    val attempts: Int get() = if (hasBegun) state.attempt else state.attempt - 1

    final override var tickBefore: Int = first.tickBefore
        private set

    /** The last attempt that began, of a call that is timed. */
    protected var watched: WatchedAttempt? = null
        private set

    /** The race of the first attempt, of a call that may send a copy. */
    protected var firstRace: HedgeRace? = null

    /** The race of the first attempt, while it runs. */
    protected val race: HedgeRace? get() = if (state.attempt == 1) firstRace else null

    /** When the execution was sent whose outcome counts, of a call that is timed. */
    protected val sentAt: Long get() = race?.sentAt ?: watched!!.startedAt

    /** The result or the exception of the last attempt. */
    var last: Any? = null
        protected set
    protected var lastThrew: Boolean = false

    final override val lastFailure: Throwable? get() = if (lastThrew) last as Throwable else null

    final override val lastResult: Any? get() = if (lastThrew) null else last

    /** The scope of the last attempt, if its outcome carries a mark. */
    var scope: AttemptScope? = null
        protected set

    /** The first few failures before the last attempt, and the last few, for the trace. */
    var failures: FailedAttempt? = null
        private set

    protected fun attemptBegins(now: Long, tickBefore: Int) {
        this.tickBefore = tickBefore
        hasBegun = true
        if (!state.isTimed) return
        events?.at(now)?.attemptStarted(state.attempt)
        watched = WatchedAttempt(setup, state, lastFailure, events?.callId ?: 0, now)
    }

    /** Keeps for the trace what the attempt before the last one failed with: [outcome]. */
    protected fun keep(outcome: Any?) {
        val number = state.attempt - 1
        if (!setup.policy.trace || number == 0) return
        failures = FailedAttempt.after(failures, number, outcome, state.delayNanos)
    }

    /** How much longer the call waits for a shared quota to pay, in ns. */
    protected var longerNanos: Long = 0

    final override val delayNanos: Long
        get() = end?.delayNanos ?: longerNanos.takeIf { it > 0 } ?: maxOf(0, state.delayNanos)

    // The end

    /** Says where the call was made, once it has ended; `null` where only attempts do. */
    var made: AttemptScope? = null
        private set

    final override fun madeIn(scope: AttemptScope) {
        made = scope
    }

    final override fun failure(): Throwable? {
        val end = ended()
        return if (isOutcome && !end.isCancelled) null else end.failure()
    }

    final override fun value(): Any? = if (isOutcome) outcome() else last

    final override fun outcome(): RetryOutcome<Any?> = ended().outcome()

    private fun ended(): CallEnd = checkNotNull(end) { "the call has not ended: it wants $next" }
}
