package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.machine.Repeatable
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.RetrierSetup
import dev.reprise.coroutines.SendRateLine
import dev.reprise.coroutines.acquireAsync
import dev.reprise.coroutines.giveBack
import kotlinx.coroutines.TimeoutCancellationException
import org.reactivestreams.Publisher
import org.reactivestreams.Subscription
import reactor.core.Disposable
import reactor.core.scheduler.Scheduler
import reactor.core.scheduler.Schedulers
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicInteger

/**
 * The Reactor shell: one subscription's call and its loop. It holds no thread while a step is pending.
 * `docs/research/shells.md` shows it beside the others.
 *
 * The loop runs in turns. Many threads may [resume] it; one turn runs at a time and never inside another, so that the stack
 * does not grow. What follows a [Wait] is done in a turn of the scheduler.
 */
internal abstract class ReactorCall<T : Any>(private var call: RetryCall, private val givenScheduler: Scheduler?) :
    Subscription,
    Repeatable {
    /** The step under way, or `null`. Used by the thread whose turn it is, as [call] is. */
    private var pending: Step<*>? = null

    /** Whether the scheduler runs the turn. */
    private var isOnScheduler = false

    /** The number of wanted turns, with the one that runs. The last one never ends. */
    private val turns = AtomicInteger()

    /** Why the call does not go on: the subscriber has cancelled it, or the scheduler refused it. */
    @Volatile
    private var interference: Throwable? = null

    /** The last attempt, which may emit all that it has within the turn that subscribes to it. */
    @Volatile
    private var attempt: Step<*>? = null

    private val scheduler: Scheduler get() = givenScheduler ?: Schedulers.parallel()

    /** The step of [attempt], which is still to be subscribed. */
    protected abstract fun step(attempt: Attempt): SubscribedStep<T>

    /** The work of [attempt]. */
    protected abstract fun make(attempt: Attempt): Publisher<T>

    /** The verdict on an attempt's result; `null` leaves it to the classifier. */
    protected abstract val verdictOnResult: Verdict?

    /** The verdict on a [failure] that only the client can read; `null` leaves it to the classifier. */
    protected abstract fun verdictOn(failure: Throwable): Verdict?

    /** Starts to close a result that the subscriber will not get. */
    protected abstract fun discard(result: Any?): Step<*>

    /** The call ended with an attempt that ended with [end], which is accepted. */
    protected abstract fun accepted(end: End<T>)

    /** The call ended as [call] says. */
    protected abstract fun ended(call: RetryCall)

    /** Ends the call, unless it has ended. Signals nothing any more. The attempt is cancelled here: the turn may be inside it. */
    protected fun interfere(why: Throwable) {
        interference = why
        attempt?.abandon()
        resume()
    }

    /** Takes a turn, here or on the thread whose turn it is: something has happened. */
    fun resume(): Unit = resume(isOnScheduler = false)

    private fun resume(isOnScheduler: Boolean) {
        if (turns.getAndIncrement() == 0) takeTurns(isOnScheduler)
    }

    private fun takeTurns(isOnScheduler: Boolean) {
        this.isOnScheduler = isOnScheduler
        do {
            if (!isOnScheduler && pending?.goesOnElsewhere == true) return onScheduler { takeTurns(true) }
            if (turn()) return
        } while (turns.decrementAndGet() != 0)
    }

    /** Does what the call wants next, and reports back, until it is done or has to wait. Returns whether it is done. */
    private fun turn(): Boolean {
        var accepted: End<T>? = null
        while (accepted == null && call.next != NextStep.DONE) {
            try {
                when (call.next) {
                    NextStep.WAIT -> {
                        awaited({ time() }) ?: return false
                        call.waited()
                    }

                    NextStep.PERMIT -> {
                        val permit = awaited({ permit() }) ?: return false
                        permit.failure?.let { throw it }
                        line.report(permit.value!!, call)
                    }

                    NextStep.DISCARD -> {
                        val discarded = awaited({ discarding() }, isInterruptible = false) ?: return false
                        discarded.failure?.let { throw it }
                        call.discarded()
                    }

                    NextStep.ATTEMPT -> {
                        val attempt = awaited({ attempt() }) ?: return false
                        val next = report(attempt)
                        if (next == null) accepted = attempt else call = next
                    }

                    NextStep.DONE -> {}
                }
            } catch (e: Throwable) {
                pending = null
                call = call.broke(e)
            }
        }
        if (accepted == null) ended(call) else accepted(accepted)
        return true
    }

    /**
     * Returns how the step under way ended, or `null` if the call has to wait for it. Without one, [begin] begins it. Throws
     * what keeps the call from going on.
     */
    @Suppress("UNCHECKED_CAST")
    private inline fun <V : Any> awaited(begin: () -> Step<V>, isInterruptible: Boolean = true): End<V>? {
        if (pending == null) {
            if (isInterruptible) interference?.let { throw it }
            pending = begin()
        }
        val step = pending as Step<V>
        if (step.end == null) {
            if (!isInterruptible || interference == null) return null
            step.abandon()
        }
        if (step.isAbandoned) throw interference!!
        if (!isOnScheduler && step.goesOnElsewhere) return null
        pending = null
        return step.end
    }

    /** Reports that an attempt ended with [end]. Returns `null` if that is accepted, else the call to go on with. */
    private fun report(end: End<T>): RetryCall? {
        val failure = end.failure ?: return call.completed(end.value, this, verdictOnResult)
        // A `timeout` or `withTimeout` inside the attempt is a limit of its own: a cancelled call does not report.
        val isTimeout = failure is TimeoutException || failure is TimeoutCancellationException
        val thrown = Thrown.meaningOf(failure, isTimeoutOfBlock = isTimeout)
        val verdict = if (thrown == Thrown.FAILURE) verdictOn(failure) else null
        return call.failed(failure, thrown, this, verdict)
    }

    private fun time(): Step<Unit> {
        val step = Wait<Unit> { resume(isOnScheduler = true) }
        step.timedBy(later(call.delayNanos) { step.ends(null, null) })
        return step
    }

    private fun permit(): Step<Long> {
        val place = line.acquireAsync(call)
        if (place.isDone && !place.isCompletedExceptionally) return Step<Long> {}.also { it.ends(place.join(), null) }
        val permit = Permit(line, place) { resume(isOnScheduler = true) }
        // Hooks on schedulers take thread-locals along: those of this thread, and not of the one that grants the permit.
        val granted = Schedulers.onSchedule(permit::granted)
        place.whenComplete { _, _ -> onScheduler(granted) }
        return permit
    }

    private val line: SendRateLine get() = (call.setup as RetrierSetup).line!!

    @Suppress("UNCHECKED_CAST")
    private fun discarding(): Step<Any> = discard(call.rejected()) as Step<Any>

    private fun attempt(): Step<T> {
        val attempt = call.attemptStarts()
        val step = step(attempt)
        this.attempt = step
        if (interference != null) step.abandon()
        limits(step, attempt)
        if (step.end == null) step.subscribeTo { make(attempt) }
        return step
    }

    /** Lets [step] time out once [attempt] has taken the time that it has left. */
    private fun limits(step: Step<T>, attempt: Attempt) {
        val limit = attempt.timeLeftNanos
        val failure = AttemptTimeoutException(attempt.number, limit)
        when (limit) {
            UNLIMITED_NANOS -> {}
            0L -> step.ends(null, failure)
            else -> step.timedBy(later(limit) { step.timesOut(failure) })
        }
    }

    protected fun later(nanos: Long, task: Runnable): Disposable = scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS)

    /** Runs [task] on the scheduler. If that refuses, the call ends here. */
    private fun onScheduler(task: Runnable) {
        try {
            scheduler.schedule(task)
        } catch (e: Throwable) {
            interference = e
            task.run()
        }
    }
}

/** A place in the [line] for permits. One that is granted too late goes back. */
private class Permit(private val line: SendRateLine, private val place: CompletableFuture<Long>, onEnd: Runnable) :
    Wait<Long>(onEnd) {
    /** The [place] has ended. */
    fun granted() {
        place.whenComplete { waited, failure -> if (!ends(waited, failure) && waited != null) line.giveBack(waited) }
    }

    override fun cancel() {
        place.cancel(true)
    }
}

/** The exception of a call whose subscriber has cancelled it. */
internal fun cancelled() = CancellationException("the subscription was cancelled")
