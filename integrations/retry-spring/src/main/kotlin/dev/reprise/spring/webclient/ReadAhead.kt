package dev.reprise.spring.webclient

import dev.reprise.core.shell.http.BodyPeek
import org.reactivestreams.Subscription
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DataBufferUtils
import org.springframework.core.io.buffer.DefaultDataBufferFactory
import reactor.core.CoreSubscriber
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.publisher.MonoSink
import reactor.core.publisher.Operators
import reactor.core.publisher.Sinks
import reactor.core.scheduler.Schedulers
import reactor.util.context.Context
import java.io.ByteArrayOutputStream
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.atomic.AtomicReference

/**
 * The beginning of a response's body, read within the attempt; then the rest, for one subscriber. It asks for one buffer at a
 * time, so that none is under way when it has enough, and one when a failure's body takes too long: that buffer is [next].
 *
 * ```
 * sink (reads) ──> HELD (has enough, or is late) ──> subscriber (the rest goes there)
 *        └─────────────────────┴────────────────────> End (the body is over, or its reader was cancelled)
 * ```
 */
internal class ReadAhead private constructor(
    private val sink: MonoSink<ReadAhead>,
    private val limit: Int,
    private val isFailure: Boolean,
) : CoreSubscriber<DataBuffer> {
    private val state = AtomicReference<Any>(sink)
    private val read = ByteArrayOutputStream()
    private val next = Sinks.one<DataBuffer>()

    @Volatile
    private var upstream: Subscription? = null

    /** Whether the whole body was read. */
    @Volatile
    var isWhole: Boolean = false
        private set

    /** The bytes that were read. */
    val bytes: ByteArray by lazy(LazyThreadSafetyMode.PUBLICATION) { read.toByteArray() }

    /** The bytes that were read, then the rest, which may be a failure. To be subscribed to once; who cancels wants no rest either. */
    fun body(): Flux<DataBuffer> {
        val part = Mono.fromCallable { onHeap(bytes) }
        val first = if (bytes.isEmpty()) Flux.empty() else part.flux()
        return if (isWhole) first else first.concatWith(next.asMono()).concatWith(Rest()).doOnCancel(::cancel)
    }

    /** Reads no more of the body, unless there is a subscriber to the rest: that one cancels. */
    fun cancel() {
        if (state.compareAndSet(HELD, End(readTwice()))) upstream!!.cancel()
    }

    override fun currentContext(): Context = when (val now = state.get()) {
        is CoreSubscriber<*> -> now.currentContext()
        else -> Context.of(sink.contextView())
    }

    override fun onSubscribe(subscription: Subscription) {
        if (!Operators.validate(upstream, subscription)) return
        upstream = subscription
        sink.onCancel { subscription.cancel() }
        if (isFailure) {
            val longest = BodyPeek.LONGEST_NANOS
            sink.onDispose(Schedulers.parallel().schedule(::hold, longest, NANOSECONDS))
        }
        subscription.request(1)
    }

    @Suppress("UNCHECKED_CAST")
    override fun onNext(buffer: DataBuffer) {
        val now = state.get()
        if (now is CoreSubscriber<*>) return (now as CoreSubscriber<DataBuffer>).onNext(buffer)
        val part = ByteArray(buffer.readableByteCount())
        try {
            buffer.read(part)
        } finally {
            DataBufferUtils.release(buffer)
        }
        when {
            !isAdded(part) -> next.tryEmitValue(onHeap(part))

            read.size() <= limit -> upstream!!.request(1)

            else -> {
                hold()
                next.tryEmitEmpty()
            }
        }
    }

    /** Adds [part] to the bytes that were read, or returns false if they are looked at already. */
    @Synchronized
    private fun isAdded(part: ByteArray): Boolean {
        if (state.get() !== sink) return false
        read.write(part)
        return true
    }

    /** Ends the reading here, unless it has ended. */
    private fun hold() {
        val isFirst = synchronized(this) { state.compareAndSet(sink, HELD) }
        if (isFirst) sink.success(this)
    }

    override fun onError(failure: Throwable) = ends(failure)

    override fun onComplete() = ends(null)

    private fun ends(failure: Throwable?) {
        val before = state.getAndSet(End(failure))
        next.tryEmitEmpty()
        if (before is CoreSubscriber<*>) return before.endsWith(failure)
        if (before !== sink) return
        isWhole = failure == null
        if (failure == null || isFailure) sink.success(this) else sink.error(failure)
    }

    /** How the body ended. */
    private class End(val failure: Throwable?)

    /** The part after the bytes that were read. */
    private inner class Rest : Flux<DataBuffer>() {
        override fun subscribe(actual: CoreSubscriber<in DataBuffer>) {
            val demand = Operators.DeferredSubscription()
            actual.onSubscribe(demand)
            if (state.compareAndSet(HELD, actual)) {
                demand.set(upstream!!)
            } else {
                val end = state.get() as? End
                actual.endsWith(if (end == null) readTwice() else end.failure)
            }
        }
    }

    internal companion object {
        /** The state of a body of which enough was read. */
        private val HELD = Any()

        private fun readTwice() = IllegalStateException("a body can be read once")

        /**
         * Reads [limit] bytes of [body], or a little more. If it breaks off before, the mono fails. The body of a response that
         * [isFailure] is read for [BodyPeek.LONGEST_NANOS] at most, and a break is kept for its reader.
         */
        fun of(body: Flux<DataBuffer>, limit: Int, isFailure: Boolean): Mono<ReadAhead> =
            Mono.create { body.subscribe(ReadAhead(it, limit, isFailure)) }

        private fun onHeap(bytes: ByteArray): DataBuffer = DefaultDataBufferFactory.sharedInstance.wrap(bytes)

        private fun CoreSubscriber<*>.endsWith(failure: Throwable?) {
            if (failure == null) onComplete() else onError(failure)
        }
    }
}
