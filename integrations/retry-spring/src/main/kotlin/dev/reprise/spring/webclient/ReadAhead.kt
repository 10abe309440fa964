package dev.reprise.spring.webclient

import org.reactivestreams.Subscription
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DataBufferUtils
import org.springframework.core.io.buffer.DefaultDataBufferFactory
import reactor.core.CoreSubscriber
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.publisher.MonoSink
import reactor.core.publisher.Operators
import reactor.util.context.Context
import java.io.ByteArrayOutputStream
import java.util.concurrent.atomic.AtomicReference

/**
 * The beginning of a response's body, read within the attempt; then the rest, for one subscriber. It asks for one buffer at a
 * time, so that none is under way when it has enough.
 *
 * ```
 * sink (reads) ──> HELD (has enough) ──> subscriber (the rest goes there)
 *        └────────────────┴────────────> End (the body is over)
 * ```
 */
internal class ReadAhead private constructor(
    private val sink: MonoSink<ReadAhead>,
    private val limit: Int,
    private val keepsFailure: Boolean,
) : CoreSubscriber<DataBuffer> {
    private val state = AtomicReference<Any>(sink)
    private val read = ByteArrayOutputStream()

    @Volatile
    private var upstream: Subscription? = null

    /** What was read. */
    val bytes: ByteArray by lazy(LazyThreadSafetyMode.PUBLICATION) { read.toByteArray() }

    /** Whether that is all of it. */
    val isWhole: Boolean get() = (state.get() as? End)?.failure == null && state.get() is End

    /** What was read, then the rest, which may be a failure. To be subscribed to once. */
    fun body(): Flux<DataBuffer> {
        val first = Mono.fromCallable<DataBuffer> { DefaultDataBufferFactory.sharedInstance.wrap(bytes) }
        val end = state.get() as? End ?: return first.concatWith(Rest())
        return if (end.failure == null) first.flux() else first.concatWith(Mono.error(end.failure))
    }

    /** Reads no more of the body. */
    fun cancel() {
        upstream?.cancel()
    }

    override fun currentContext(): Context = (state.get() as? CoreSubscriber<*>)?.currentContext() ?: Context.of(sink.contextView())

    override fun onSubscribe(subscription: Subscription) {
        if (!Operators.validate(upstream, subscription)) return
        upstream = subscription
        sink.onDispose { if (state.get() === sink) subscription.cancel() }
        subscription.request(1)
    }

    @Suppress("UNCHECKED_CAST")
    override fun onNext(buffer: DataBuffer) {
        val now = state.get()
        if (now is CoreSubscriber<*>) return (now as CoreSubscriber<DataBuffer>).onNext(buffer)
        try {
            val part = ByteArray(buffer.readableByteCount())
            buffer.read(part)
            read.write(part)
        } finally {
            DataBufferUtils.release(buffer)
        }
        when {
            read.size() < limit -> upstream!!.request(1)
            state.compareAndSet(sink, HELD) -> sink.success(this)
        }
    }

    override fun onError(failure: Throwable) = ends(failure)

    override fun onComplete() = ends(null)

    private fun ends(failure: Throwable?) {
        when (val before = state.getAndSet(End(failure))) {
            sink -> if (failure == null || keepsFailure) sink.success(this) else sink.error(failure)
            is CoreSubscriber<*> -> if (failure == null) before.onComplete() else before.onError(failure)
        }
    }

    /** How the body ended. */
    private class End(val failure: Throwable?)

    /** What comes after the part that was read. */
    private inner class Rest : Flux<DataBuffer>() {
        override fun subscribe(actual: CoreSubscriber<in DataBuffer>) {
            val waiting = Waiting(actual)
            actual.onSubscribe(waiting)
            if (state.compareAndSet(HELD, actual)) return waiting.begins()
            val end = state.get() as? End ?: return actual.onError(IllegalStateException("a body can be read once"))
            if (end.failure == null) actual.onComplete() else actual.onError(end.failure)
        }
    }
}
