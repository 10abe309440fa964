package dev.reprise.reactor

import dev.reprise.core.shell.layers.Moments
import dev.reprise.coroutines.shell.Step
import dev.reprise.coroutines.shell.StepEnd
import dev.reprise.coroutines.shell.TurnLoop
import org.reactivestreams.Publisher
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.publisher.Operators
import reactor.util.context.Context

/** A step whose work is the publisher from [make]. [onLate] gets a value that comes when the step has ended. */
internal open class SubscribedStep<V : Any>(
    loop: TurnLoop<*>,
    private val context: Context,
    private val make: () -> Publisher<out V>,
    protected val onLate: (V) -> Unit,
) : Step<V>(loop),
    CoreSubscriber<V> {
    @Volatile
    private var subscription: Subscription? = null

    override fun begin() {
        if (!isHere(Moments.now())) return
        make().subscribe(this)
        wasHere()
    }

    override fun currentContext(): Context = context

    override fun onSubscribe(subscription: Subscription) {
        if (!Operators.validate(this.subscription, subscription)) return
        this.subscription = subscription
        if (end == null) demand(subscription) else subscription.cancel()
    }

    protected open fun demand(subscription: Subscription) = subscription.request(Long.MAX_VALUE)

    override fun onNext(value: V) {
        ends(value, null)
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

    override fun late(value: V?) {
        if (value != null) onLate(value)
    }

    /** Ends the step with [failure] unless it has ended or handed out a part; its work is cancelled, and the call goes on here. */
    fun timesOut(failure: Throwable) {
        if (!movesFromStart(StepEnd(null, failure))) return
        cancel()
        loop.resume()
    }
}
