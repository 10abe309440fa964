package dev.reprise.coroutines.shell

import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.coroutines.RetrierSetup
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater

/**
 * The loop of a call that holds no thread while a [Step] is pending. It has no threads of its own: it runs in turns, on the
 * threads that [resume] it. One turn runs at a time and never inside another, so that the stack does not grow.
 * `docs/research/shells.md` shows it beside the other loops. For authors of shells.
 *
 * Two rules about threads:
 *
 * 1. What follows a wait is one task, which ends the wait, on a thread that no work of the call's holds.
 * 2. An attempt, or its copy, is begun when the turn is over, by the last line of what took it. So a limit or a cancellation finds
 *    the turn free, also while work blocks the thread that begins it.
 *
 * All that the call is asked and told happens in a turn: what ends the call meanwhile waits for the turn's end.
 */
@ShellApi
public abstract class TurnLoop<T>(call: RetryCall) {
    // Used by the thread whose turn it is.
    private var current: RetryCall? = call
    private var pending: Step<*>? = null

    /** How many turns are wanted, with the one that runs. The last one stays for ever. */
    @Volatile
    private var turns = 0

    /** The call, until it has ended; in a turn. */
    protected val call: RetryCall get() = current!!

    /** Why the call does not go on; `null` while nothing interferes. */
    protected abstract fun interference(): Throwable?

    /** A wait of [nanos], begun. */
    protected abstract fun time(nanos: Long): Step<*>

    /** A wait for a send permit of [line], begun: it ends with the ns waited. */
    protected abstract fun permit(line: SendRateLine): Step<Long>

    /** Closes [result], which the caller will not get; `null` if that is done. */
    protected abstract fun discarding(result: Any?): Step<*>?

    /** The next attempt, which has started for the call and is begun after the turn. */
    protected abstract fun attempt(): Step<T>

    /** Whether another attempt may follow the one that has just ended. */
    protected abstract fun mayRepeat(): Boolean

    /** Reports how [attempt], which has ended with [end], went. Returns `null` if that is accepted, else the call to go on with. */
    protected abstract fun report(attempt: Step<T>, end: StepEnd<T>): RetryCall?

    /** The call ended with [result], which is accepted. */
    protected abstract fun accepted(result: T?)

    /** The [call] ended as it says. */
    protected abstract fun ended(call: RetryCall)

    /** Runs [task] where what follows a wait runs, and not here. */
    protected abstract fun afterWait(task: Runnable)

    /** Waits for [attempt], which is under way. Before the first turn. */
    protected fun awaits(attempt: Step<T>) {
        pending = attempt
    }

    /** Takes a turn, here or on the thread whose turn it is: something has happened. */
    public fun resume() {
        if (TURNS.getAndIncrement(this) == 0) takeTurns()
    }

    private fun takeTurns() {
        do {
            var begun: Step<*>? = null
            do {
                // A wait has ended before this thread, which began it, had gone on: what follows is still not for this one.
                if (begun != null && begun.isWait && begun === pending && begun.end != null) {
                    return afterWait(::takeTurns)
                }
                val step = turn()
                if (step === OVER) return
                if (step != null) begun = step as Step<*>
            } while (TURNS.decrementAndGet(this) != 0)
            val attempt = begun?.takeUnless { it.isWait } ?: return
        } while (attempt.begins() && TURNS.getAndIncrement(this) == 0)
    }

    /** Does what the call wants, and reports back. Returns the step to begin, a wait that was made, `null`, or [OVER]. */
    private fun turn(): Any? {
        while (true) {
            val call = current!!
            if (call.next == NextStep.DONE) {
                current = null
                ended(call)
                return OVER
            }
            try {
                if (call.next == NextStep.REPEAT) {
                    call.repeats(mayRepeat())
                    continue
                }
                val step = pending
                if (step == null) {
                    val made = made(call)
                    if (made == null) {
                        call.discarded()
                        continue
                    }
                    pending = made
                    if (made.isWait || made.end == null) return made.first
                    continue
                }
                val end = step.end
                if (end != null) {
                    pending = null
                    step.forgets()
                    if (reports(call, step, end)) return OVER
                    continue
                }
                // What closes a result is not cut short.
                val interference = if (call.next == NextStep.DISCARD) null else interference()
                if (interference == null) {
                    val more = step.goesOn()
                    if (more != null || step.end == null) return more
                } else if (step.abandon()) {
                    if (call.next == NextStep.ATTEMPT && step.first.isUnbegun) call.withdrawn()
                    throw interference
                }
            } catch (e: Throwable) {
                pending = null
                current = current!!.broke(e)
            }
        }
    }

    /** The step that [call] wants next; `null` if that was done at once. Throws what keeps the call from going on. */
    private fun made(call: RetryCall): Step<*>? {
        if (call.next == NextStep.DISCARD) return discarding(call.rejected())
        interference()?.let { throw it }
        return when (call.next) {
            NextStep.WAIT -> time(call.delayNanos)
            NextStep.PERMIT -> permit((call.setup as RetrierSetup).line!!)
            else -> attempt()
        }
    }

    /** Reports the [end] of the [step] that [call] wanted. Returns whether the call is over. */
    @Suppress("UNCHECKED_CAST")
    private fun reports(call: RetryCall, step: Step<*>, end: StepEnd<*>): Boolean {
        if (call.next == NextStep.ATTEMPT) {
            val next = report(step as Step<T>, end as StepEnd<T>)
            current = next
            if (next == null) accepted(end.value)
            return next == null
        }
        end.failure?.let { throw it }
        when (call.next) {
            NextStep.WAIT -> call.waited()
            NextStep.PERMIT -> (call.setup as RetrierSetup).line!!.report(end.value as Long, call)
            else -> call.discarded()
        }
        return false
    }

    private companion object {
        /** Stands for a call that has ended. */
        val OVER = Any()
        val TURNS: AtomicIntegerFieldUpdater<TurnLoop<*>> =
            AtomicIntegerFieldUpdater.newUpdater(TurnLoop::class.java, "turns")
    }
}
