package dev.reprise.reactor

import org.reactivestreams.Publisher
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.Disposable
import reactor.core.publisher.Operators
import reactor.util.context.Context
import java.util.concurrent.atomic.AtomicReference

/** How a step ended: with a [value], empty, or with a [failure]. */
internal class End<out V : Any>(val value: V?, val failure: Throwable?)

/**
 * A step that a call waits for: an attempt, a send permit, the closing of a result, or the time before the next attempt. It
 * ends once, by its work, its timer or its call, and then runs [onEnd], unless its call ended it.
 */
internal open class Step<V : Any>(protected val onEnd: Runnable) {
    /** `null`, then for some steps [BEGUN], then an [End]. */
    protected val state = AtomicReference<Any?>()

    @Volatile
    private var timer: Disposable? = null

    /** How the step ended, or `null`. */
    @Suppress("UNCHECKED_CAST")
    val end: End<V>? get() = state.get() as? End<V>

    /** Whether only a turn of the scheduler may go on with this step; asked in a turn. */
    open val goesOnElsewhere: Boolean get() = false

    /** Sets what to dispose of when the step ends. */
    fun timedBy(timer: Disposable) {
        this.timer = timer
        if (end != null) stopTimer()
    }

    /** Ends the step with [value], with [failure] unless that is `null`, or empty. Returns false if it has ended before. */
    fun ends(value: V?, failure: Throwable?): Boolean {
        if (!moves(End(value, failure))) return false
        onEnd.run()
        return true
    }

    /** Ends the step with [failure] unless it has ended or [BEGUN]; its work is cancelled. */
    fun timesOut(failure: Throwable) {
        if (!state.compareAndSet(null, End<V>(null, failure))) return
        cancel()
        onEnd.run()
    }

    /** Ends the step, since its call does not go on, unless it has ended before. Any thread may do so. */
    open fun abandon() {
        if (moves(ABANDONED)) cancel()
    }

    /** Whether [abandon] ended the step. */
    val isAbandoned: Boolean get() = state.get() === ABANDONED

    protected fun moves(end: End<*>): Boolean {
        while (true) {
            val now = state.get()
            if (now is End<*>) return false
            if (state.compareAndSet(now, end)) break
        }
        stopTimer()
        return true
    }

    protected fun stopTimer() {
        try {
            timer?.dispose()
        } catch (_: Throwable) {
            // A user's scheduler. Its task, if it still runs, finds that it is too late.
        }
    }

    /** Cancels the work. */
    protected open fun cancel() = Unit

    protected companion object {
        /** The state of a step that a part of its work has left. */
        val BEGUN = Any()
        val ABANDONED = End(null, null)
    }
}

/**
 * A wait, for time or for a permit. It ends on the scheduler, and its call goes on there: users' code must run neither on
 * the thread that grants a permit nor on the one that began to wait.
 */
internal open class Wait<V : Any>(onEnd: Runnable) : Step<V>(onEnd) {
    override val goesOnElsewhere: Boolean get() = end != null
}

/** A step whose work is a publisher. [onLate] gets a value that comes when the step has ended. */
internal open class SubscribedStep<V : Any>(
    onEnd: Runnable,
    private val context: Context,
    protected val onLate: (V) -> Unit,
) : Step<V>(onEnd),
    CoreSubscriber<V> {
    @Volatile
    private var subscription: Subscription? = null

    /** Subscribes to the publisher from [make]. An exception from [make] fails the step. */
    inline fun subscribeTo(make: () -> Publisher<V>) {
        try {
            make().subscribe(this)
        } catch (e: Throwable) {
            ends(null, e)
        }
    }

    override fun currentContext(): Context = context

    override fun onSubscribe(subscription: Subscription) {
        if (!Operators.validate(this.subscription, subscription)) return
        this.subscription = subscription
        if (end == null) demand(subscription) else subscription.cancel()
    }

    protected open fun demand(subscription: Subscription) = subscription.request(Long.MAX_VALUE)

    override fun onNext(value: V) {
        if (!ends(value, null)) onLate(value)
    }

    override fun onError(failure: Throwable) {
        if (!ends(null, failure)) Operators.onErrorDropped(failure, context)
    }

    override fun onComplete() {
        ends(null, null)
    }

    override fun cancel() {
        try {
            subscription?.cancel()
        } catch (_: Throwable) {
            // Its own fault: onLate gets a value that comes nevertheless.
        }
    }
}
