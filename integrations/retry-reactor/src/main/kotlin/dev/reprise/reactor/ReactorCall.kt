package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.layers.CallPlace
import dev.reprise.core.shell.layers.EnclosingAttempt
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.layers.ThreadScope
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.CalledFrom
import dev.reprise.coroutines.shell.SendRateLine
import dev.reprise.coroutines.shell.Step
import dev.reprise.coroutines.shell.StepEnd
import dev.reprise.coroutines.shell.TurnLoop
import dev.reprise.coroutines.shell.acquireAsync
import dev.reprise.coroutines.shell.giveBack
import kotlinx.coroutines.TimeoutCancellationException
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.publisher.Operators
import reactor.core.scheduler.Scheduler
import reactor.core.scheduler.Schedulers
import reactor.util.context.Context
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

/**
 * The Reactor shell: one subscription's call, a [TurnLoop] whose steps are subscriptions and timers of a scheduler. What
 * follows a wait, or a limit, happens on the scheduler.
 */
internal abstract class ReactorCall<T : Any>(
    call: RetryCall,
    private val givenScheduler: Scheduler?,
    private val context: Context,
) : TurnLoop<T>(call),
    Subscription {
    init {
        call.setup.warnOfHedge("Reactor sends no copies")
    }

    private val deadlineAt = call.deadlineAt

    /** Whether time is real. Where a program simulates it, all happens on its scheduler. */
    private val isReal = call.setup.clock === Retrier.SYSTEM_CLOCK
    private val madeAt = Moments.next()

    /** The attempt around this call, or `null`. */
    private val inside: EnclosingAttempt? = context.getOrDefault<EnclosingAttempt>(EnclosingAttempt::class.java, null)

    /** The last attempt, as its context names it; in a turn. */
    private var here: EnclosingAttempt? = null

    /** Why the call does not go on: the subscriber has cancelled it, or the scheduler refused it. */
    @Volatile
    private var interference: Throwable? = null

    private val scheduler: Scheduler get() = givenScheduler ?: Schedulers.parallel()

    /** The step of [attempt], which is still to be subscribed, in [context]. */
    protected abstract fun step(attempt: Attempt, context: Context): SubscribedStep<T>

    /** The verdict on an attempt's result; `null` leaves it to the classifier. */
    protected open val verdictOnResult: Verdict? get() = null

    /** The verdict on a [failure] that only the client can read; `null` leaves it to the classifier. */
    protected open fun verdictOn(failure: Throwable): Verdict? = null

    /** Ends the call: its subscriber wants no more. */
    override fun cancel() {
        interference = CancellationException("the subscription was cancelled")
        resume()
    }

    override fun interference(): Throwable? = interference

    override fun time(nanos: Long): Step<*> {
        val wait = object : Step<Unit>(this@ReactorCall) {
            override val isWait get() = true
        }
        wait.timedBy(later(nanos, callTimeLeft()) { wait.ends(null, null) })
        return wait
    }

    override fun permit(line: SendRateLine): Step<Long> {
        val place = line.acquireAsync(call)
        if (place.isDone) {
            val permit = object : Step<Long>(this@ReactorCall) {}
            place.whenComplete(permit::ends)
            return permit
        }
        val permit = Permit(this, line, place)
        // Hooks on schedulers take thread-locals along: those of this thread, and not of the one that grants the permit.
        val granted = Schedulers.onSchedule { place.whenComplete(permit::ends) }
        place.whenComplete { _, _ -> afterWait(granted) }
        return permit
    }

    override fun attempt(): Step<T> {
        val attempt = call.attemptStarts()
        val here = EnclosingAttempt(inside)
        this.here = here
        val step = step(attempt, context.put(EnclosingAttempt::class.java, here))
        val limit = attempt.timeLeftNanos
        val failure = AttemptTimeoutException(attempt.number, attempt.limitNanos)
        when (limit) {
            UNLIMITED_NANOS -> {}
            0L -> step.ends(null, failure)
            else -> step.timedBy(later(limit, limit) { step.timesOut(failure) })
        }
        return step
    }

    override fun report(attempt: Step<T>, end: StepEnd<T>): RetryCall? {
        val isMarked = call.isMarked(end.failure ?: end.value)
        val scope = if (isMarked) ReactorScope(attempt.scope(madeAt), here, inside) else null
        val failure = end.failure ?: return call.completed(end.value, verdictOnResult, scope)
        // A `timeout` or `withTimeout` inside the attempt is a limit of its own: a cancelled call does not report.
        val isTimeout = failure is TimeoutException || failure is TimeoutCancellationException
        val thrown = Thrown.meaningOf(failure, isTimeoutOfBlock = isTimeout)
        val verdict = if (thrown == Thrown.FAILURE) verdictOn(failure) else null
        return call.failed(failure, thrown, verdict, scope)
    }

    /** The [call] ended as it says. */
    protected abstract fun over(call: RetryCall)

    override fun ended(call: RetryCall) {
        call.madeIn(ReactorScope(ThreadScope(madeAt, 0, 0), here = null, inside))
        over(call)
    }

    /**
     * Runs [task] in [nanos] on the scheduler, once; on another thread, if [limit] ns have passed and no thread of the scheduler has
     * begun it. Returns what stops it.
     */
    protected fun later(nanos: Long, limit: Long, task: Runnable): Runnable {
        val isLimited = isReal && limit != UNLIMITED_NANOS
        if (isLimited) return Runnable(Due(scheduler, limit, task).apply { begin(nanos) }::stop)
        return Runnable(scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS)::dispose)
    }

    /** Runs [task] on the scheduler. If that refuses, the call ends here; if it is not free at the deadline, on another thread. */
    override fun afterWait(task: Runnable) {
        try {
            val limit = callTimeLeft()
            if (limit == UNLIMITED_NANOS) scheduler.schedule(task) else Due(scheduler, limit, task).begin(0)
        } catch (e: Throwable) {
            interference = e
            task.run()
        }
    }

    private fun callTimeLeft(): Long =
        if (isReal && deadlineAt != UNLIMITED_NANOS) maxOf(deadlineAt - System.nanoTime(), 0) else UNLIMITED_NANOS

    private companion object {
        init {
            // Without kotlinx-coroutines-reactor no coroutine has a Reactor context.
            runCatching { CalledFrom.named = CoroutineAttempts }
        }
    }
}

/** The call that [begin] begins for this subscriber; `null` if code of others threw, a clock or a source of deadlines: that is told. */
internal inline fun CoreSubscriber<*>.begins(begin: () -> RetryCall): RetryCall? = try {
    currentContext().servedWhile(begin)
} catch (e: Throwable) {
    Operators.error(this, e)
    null
}

/** Of the attempt [here]: the subscriptions that inherit its context, and what ran [there] while it was subscribed to. */
private class ReactorScope(
    private val there: ThreadScope,
    private val here: EnclosingAttempt?,
    private val inside: EnclosingAttempt?,
) : AttemptScope() {
    override fun holds(place: CallPlace): Boolean = there.holds(place) || here?.isAround(place.inside) == true

    override fun place(): CallPlace = CallPlace(there.place().moment, inside)
}

/** A [place] in the [line] for permits. One that is granted too late goes back. */
private class Permit(loop: TurnLoop<*>, private val line: SendRateLine, private val place: CompletableFuture<Long>) :
    Step<Long>(loop) {
    override val isWait: Boolean get() = true

    override fun cancel() {
        place.cancel(true)
    }

    override fun late(value: Long?) {
        if (value != null) line.giveBack(value)
    }
}
