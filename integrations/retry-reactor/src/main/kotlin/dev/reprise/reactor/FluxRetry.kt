package dev.reprise.reactor

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Step
import dev.reprise.coroutines.shell.StepEnd
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.publisher.Flux
import reactor.core.publisher.Operators
import reactor.core.scheduler.Scheduler
import reactor.util.context.Context

/** A flux whose every subscription is a call. The call's attempts are the fluxes from [make]. */
internal class FluxRetry<T : Any>(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val scheduler: Scheduler?,
    private val make: (Attempt) -> Flux<T>,
) : Flux<T>() {
    fun assembled(): Flux<T> = onAssembly(this)

    override fun subscribe(actual: CoreSubscriber<in T>) {
        val call = actual.begins { retrier.setup.begin(options, ResultKind.VALUE) } ?: return
        // A deadline may fall between the elements, on another thread.
        val receiver: CoreSubscriber<in T> =
            if (call.deadlineAt == UNLIMITED_NANOS) actual else Operators.serialize(actual)
        val subscription = FluxCall<T>(receiver, make, call, scheduler)
        receiver.onSubscribe(subscription)
        subscription.resume()
    }
}

/** The call of one subscriber to a flux. */
private class FluxCall<T : Any>(
    private val actual: CoreSubscriber<in T>,
    private val make: (Attempt) -> Flux<T>,
    call: RetryCall,
    scheduler: Scheduler?,
) : ReactorCall<T>(call, scheduler, actual.currentContext()) {
    @Volatile
    private var isCancelled = false

    /** Whether an element was passed on. */
    @Volatile
    private var isDelivering = false

    // Guarded by this object. An attempt that another one follows has passed nothing on, so the next one owes all.
    private var requested = 0L
    private var upstream: Subscription? = null

    override fun request(n: Long) {
        if (!Operators.validate(n)) return
        val upstream = synchronized(this) {
            requested = Operators.addCap(requested, n)
            upstream
        }
        upstream?.request(n)
    }

    private fun demand(upstream: Subscription) {
        val owed = synchronized(this) {
            this.upstream = upstream
            requested
        }
        if (owed > 0) upstream.request(owed)
    }

    override fun cancel() {
        isCancelled = true
        super.cancel()
    }

    override fun step(attempt: Attempt, context: Context): SubscribedStep<T> = Elements(attempt, context)

    override val verdictOnResult: Verdict get() = Verdict.Accept

    override fun mayRepeat(): Boolean = !isDelivering

    override fun discarding(result: Any?): Step<*> = error("a flux has no result to discard")

    override fun accepted(result: T?) {
        if (!isCancelled) actual.onComplete()
    }

    override fun over(call: RetryCall) {
        val failure = call.failure()
        if (isCancelled) return
        if (failure == null) actual.onComplete() else actual.onError(failure)
    }

    /** The elements of [attempt], which are passed on as they come. */
    private inner class Elements(private val attempt: Attempt, context: Context) :
        SubscribedStep<T>(
            this@FluxCall,
            context,
            { make(attempt) },
            { Operators.onDiscard(it, actual.currentContext()) },
        ) {
        /** How long the attempt may take in all; its own timeout, if that is shorter, holds until the first element. */
        private val limit = maxOf(attempt.limitNanos, attempt.callTimeLeftNanos)

        override fun demand(subscription: Subscription) = this@FluxCall.demand(subscription)

        override fun onNext(value: T) {
            if (hasLeft || passesOn()) actual.onNext(value) else onLate(value)
        }

        /** The first element is here: this attempt is the last one. Returns false if it has ended before. */
        private fun passesOn(): Boolean {
            if (!leaves()) return false
            isDelivering = true
            stopTimer()
            if (limit == UNLIMITED_NANOS) return true
            try {
                val left = attempt.callTimeLeftNanos
                timedBy(later(left, left) { cutOff(AttemptTimeoutException(attempt.number, limit)) })
            } catch (e: Throwable) {
                // Code of others: the clock, or a scheduler that refuses.
                cutOff(e)
            }
            return end == null
        }

        private fun cutOff(failure: Throwable) {
            if (!moves(StepEnd(null, failure))) return
            cancel()
            loop.resume()
        }

        /** A subscriber that has had enough: the attempt has succeeded. */
        override fun abandon(): Boolean {
            if (!hasLeft) return super.abandon()
            if (moves(StepEnd(null, null))) cancel()
            return false
        }
    }
}
