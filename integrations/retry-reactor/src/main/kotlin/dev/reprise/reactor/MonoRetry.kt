package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Step
import reactor.core.CoreSubscriber
import reactor.core.publisher.Mono
import reactor.core.publisher.Operators
import reactor.core.scheduler.Scheduler
import reactor.util.context.Context
import java.util.concurrent.atomic.AtomicInteger

/** A mono whose every subscription is a call of [work]. [R] is [T] itself or an outcome of it. */
internal class MonoRetry<T : Any, R : Any>(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scheduler: Scheduler?,
    private val work: MonoAttempt<T>,
    private val asOutcome: Boolean,
) : Mono<R>() {
    fun assembled(): Mono<R> = onAssembly(this)

    override fun subscribe(actual: CoreSubscriber<in R>) {
        val call = actual.begins { retrier.setup.begin(options, work.kind, asOutcome) } ?: return
        val subscription = MonoCall(actual, work, call, scheduler)
        actual.onSubscribe(subscription)
        subscription.resume()
    }
}

/** The call of one subscriber to a mono. A result waits until it is asked for. */
private class MonoCall<T : Any, R : Any>(
    private val actual: CoreSubscriber<in R>,
    private val work: MonoAttempt<T>,
    call: RetryCall,
    scheduler: Scheduler?,
) : ReactorCall<T>(call, scheduler, actual.currentContext()) {
    /** [NONE], then [ASKED] or [HAS_RESULT], then [OVER]. */
    private val delivery = AtomicInteger(NONE)
    private var result: R? = null
    private var toDiscard: T? = null

    override fun request(n: Long) {
        if (!Operators.validate(n) || delivery.compareAndSet(NONE, ASKED)) return
        if (delivery.compareAndSet(HAS_RESULT, OVER)) signal(result!!)
    }

    override fun cancel() {
        when (delivery.getAndSet(OVER)) {
            NONE, ASKED -> super.cancel()
            HAS_RESULT -> toDiscard?.let(::discardLate)
        }
    }

    override fun step(attempt: Attempt, context: Context): SubscribedStep<T> =
        SubscribedStep(this, context, { work.make(attempt) }, ::discardLate)

    override fun verdictOn(failure: Throwable): Verdict? = work.verdictOn(failure)

    override fun mayRepeat(): Boolean = work.mayRepeat()

    @Suppress("UNCHECKED_CAST")
    override fun discarding(result: Any?): Step<*>? {
        if (result == null) return null
        val context = actual.currentContext()
        return SubscribedStep<Void>(this, context, { work.discard(result as T, context) }) {}
    }

    private fun discardLate(result: T) {
        val context = actual.currentContext()
        try {
            work.discard(result, context).onErrorComplete().subscribe(null, null, null, context)
        } catch (_: Throwable) {
            // There is no receiver left.
        }
    }

    @Suppress("UNCHECKED_CAST")
    override fun accepted(result: T?) = delivers(result as R?, result)

    @Suppress("UNCHECKED_CAST")
    override fun over(call: RetryCall) {
        val failure = call.failure()
        val result = resultIn(call.outcome()) as T?
        if (failure == null) return delivers(call.value() as R?, result)
        if (delivery.getAndSet(OVER) != OVER) actual.onError(failure) else result?.let(::discardLate)
    }

    /** The result that the subscriber gets with [outcome], as its value or in its failure. */
    private fun resultIn(outcome: RetryOutcome<*>?): Any? = when (outcome) {
        is RetryOutcome.Success -> outcome.value
        is RetryOutcome.BadResult -> outcome.value
        is RetryOutcome.Failure, null -> null
    }

    /** Passes on [value]. If the subscriber has gone, [toDiscard] is discarded. */
    private fun delivers(value: R?, toDiscard: T?) {
        if (value == null) {
            if (delivery.getAndSet(OVER) != OVER) actual.onComplete()
            return
        }
        result = value
        this.toDiscard = toDiscard
        if (delivery.compareAndSet(NONE, HAS_RESULT)) return
        if (delivery.compareAndSet(ASKED, OVER)) signal(value) else toDiscard?.let(::discardLate)
    }

    private fun signal(value: R) {
        actual.onNext(value)
        actual.onComplete()
    }
}

private const val NONE = 0
private const val ASKED = 1
private const val HAS_RESULT = 2
private const val OVER = 3
