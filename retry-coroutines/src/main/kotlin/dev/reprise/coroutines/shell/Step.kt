package dev.reprise.coroutines.shell

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.layers.ThreadScope
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater

/** How a step ended: with a [value], with none, or with a [failure]. */
@ShellApi
public class StepEnd<V>(
    /** The result, or `null`. */
    @JvmField public val value: V?,
    /** The exception, or `null`. */
    @JvmField public val failure: Throwable?,
)

/**
 * A step that a [loop] waits for: an attempt, a send permit, the closing of a result, or the time before the next attempt. It
 * ends once, by its work, its timer or its loop, and then the loop goes on, unless the loop ended it. For authors of shells.
 */
@ShellApi
public abstract class Step<V>(
    /** The loop that waits for this step. */
    protected val loop: TurnLoop<*>,
) {
    /** `null`, then [BEGUN] if a thread begins the work, then for some steps [HALFWAY], then a [StepEnd]. */
    @Volatile
    private var state: Any? = null

    @Volatile
    private var timer: Runnable? = null

    /** The thread that begins the step. What ends meanwhile on that thread is looked at when it has begun. */
    private var beginner: Thread? = null
    private var hasEndedThere = false

    /** The moments between which a thread began the work, or did all of it; 0 before each. */
    private var from = 0L

    @Volatile
    private var to = 0L

    /** How the step ended; `null` while it goes on. */
    @Suppress("UNCHECKED_CAST")
    public val end: StepEnd<V>? get() = state as? StepEnd<V>

    /** Whether the step has ended before a thread began its work: none will. */
    internal var isUnbegun: Boolean = false
        private set

    /** Whether this is a wait: its end, and all that follows, comes as a task of the call's executor. */
    public open val isWait: Boolean get() = false

    /** What begins of this step when the turn that made it is over. */
    public open val first: Step<V> get() = this

    /** Something may have happened to a part of this step, which goes on. In a turn. Returns what begins when that is over, or `null`. */
    public open fun goesOn(): Step<V>? = null

    /** Begins the step. Called once, outside of the loop's turns, unless it is a wait. */
    protected open fun begin() {}

    /** Cancels the work of a step that has ended without it. */
    protected open fun cancel() {}

    /** Disposes of a [value] that comes when the step has ended. */
    protected open fun late(value: V?) {}

    /** A thread begins the work, or does it, from this moment on. Returns false if the step has ended: then it must not. */
    protected fun isHere(from: Long): Boolean {
        this.from = from
        return STATE.compareAndSet(this, null, BEGUN)
    }

    /** What the thread does from now on is none of the work. */
    protected fun wasHere() {
        to = Moments.now()
    }

    /** The scope of this attempt of a call made at [madeAt]: what ran where the work began, or all that it did. */
    public fun scope(madeAt: Long): ThreadScope = ThreadScope(madeAt, from, until())

    /** The last moment of the work. If a thread is still at it, the present one of that thread: read first, since it may end. */
    private fun until(): Long {
        val now = Moments.nowOf(from)
        val to = to
        return if (to == 0L) now else to
    }

    /** Begins the step. Returns whether it has ended on this thread meanwhile: the loop goes on here. */
    internal fun begins(): Boolean {
        beginner = Thread.currentThread()
        try {
            begin()
        } catch (e: Throwable) {
            ends(null, e)
        } finally {
            beginner = null
        }
        return hasEndedThere
    }

    /** Ends the step with [failure], or with [value] if that is `null`. Returns false if it has ended before. */
    public fun ends(value: V?, failure: Throwable?): Boolean {
        if (!moves(StepEnd(value, failure))) {
            if (failure == null) late(value)
            return false
        }
        if (Thread.currentThread() === beginner) hasEndedThere = true else loop.resume()
        return true
    }

    /** Ends the step, since its call does not go on, and cancels its work. Returns false if it has ended before. */
    public open fun abandon(): Boolean {
        if (!moves(StepEnd(null, null))) return false
        cancel()
        return true
    }

    /** Moves to [end], without the loop. Returns false if the step has ended before. */
    protected fun moves(end: StepEnd<V>): Boolean {
        val before = STATE.getAndUpdate(this) { if (it is StepEnd<*>) it else end }
        if (before is StepEnd<*>) return false
        isUnbegun = before == null
        stopTimer()
        return true
    }

    /** [moves], unless a part of the work has left the step. */
    protected fun movesFromStart(end: StepEnd<V>): Boolean {
        if (!STATE.compareAndSet(this, null, end) && !STATE.compareAndSet(this, BEGUN, end)) return false
        stopTimer()
        return true
    }

    /** Keeps no result, which the loop has: work that goes on keeps this. */
    internal fun forgets() {
        if (end?.failure !is AttemptTimeoutException) state = FORGOTTEN
    }

    /** A part of the work leaves the step. Returns false if it has ended before, or a part has left. */
    protected fun leaves(): Boolean = STATE.compareAndSet(this, BEGUN, HALFWAY)

    /** Whether a part of the work has left, and the step goes on. */
    protected val hasLeft: Boolean get() = state === HALFWAY

    /** Sets what stops the timer of this step, which its end does. */
    public fun timedBy(timer: Runnable) {
        this.timer = timer
        if (end != null) stopTimer()
    }

    /** Stops the timer, if there is one. */
    protected fun stopTimer() {
        try {
            timer?.run()
        } catch (_: Throwable) {
            // A user's timer. Its task, if it still runs, finds that it is too late.
        }
    }

    private companion object {
        val BEGUN = Any()
        val HALFWAY = Any()
        val FORGOTTEN = StepEnd<Any?>(null, null)
        val STATE: AtomicReferenceFieldUpdater<Step<*>, Any?> =
            AtomicReferenceFieldUpdater.newUpdater(Step::class.java, Any::class.java, "state")
    }
}
