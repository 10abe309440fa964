package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.ClientInterceptor
import io.grpc.ClientStreamTracer
import io.grpc.Context
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status
import io.grpc.Status.Code
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.Semaphore
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import kotlin.random.Random
import kotlin.time.Duration.Companion.microseconds

/** Counts the streams of the channel below that are open. */
private class OpenStreams : ClientInterceptor {
    val open = AtomicInteger()
    val all = AtomicInteger()

    private val tracers = object : ClientStreamTracer.Factory() {
        override fun newClientStreamTracer(info: ClientStreamTracer.StreamInfo, headers: Metadata): ClientStreamTracer {
            open.incrementAndGet()
            all.incrementAndGet()
            return object : ClientStreamTracer() {
                override fun streamClosed(status: Status) {
                    open.decrementAndGet()
                }
            }
        }
    }

    override fun <Q, R> interceptCall(
        method: MethodDescriptor<Q, R>,
        options: CallOptions,
        next: Channel,
    ): ClientCall<Q, R> = next.newCall(method, options.withStreamTracerFactory(tracers))
}

/** Many calls at once, of which a third is cancelled at a random moment by the caller or by the context. */
class CrowdTest :
    FunSpec({
        val isNight = System.getProperty("nightly") != null
        val calls = if (isNight) 100_000 else 3_000
        if (isNight) BufferLeaks.watch()
        for (wire in Wire.entries) {
            test(
                "$wire: $calls calls, cancelled at any moment, end once each and leave no stream, buffer or listener",
            ) {
                val policy = RetryPolicy {
                    backoff = Backoff.fixed(200.microseconds)
                    hedge = Hedge.after(300.microseconds, maxExtraLoad = 0.5)
                    quota = null
                }
                val random = Random(System.nanoTime())
                val server = ScriptedServer()
                val streams = OpenStreams()
                val ends = AtomicInteger()
                val oks = AtomicInteger()
                val places = Semaphore(64)
                val contexts = mutableListOf<Context.CancellableContext>()
                Link(wire, server, streams, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                    repeat(calls) {
                        if (random.nextBoolean()) {
                            server.then(Answer.fail(Code.UNAVAILABLE).copy(sendsHeaders = random.nextBoolean()))
                        }
                        places.acquire()
                        val method = if (random.nextBoolean()) Methods.READ else Methods.LIST
                        val own = Context.ROOT.withCancellation().also { contexts += it }
                        val call = own.call { link.channel.newCall(method, CallOptions.DEFAULT) }
                        val collected = Collected<String>()
                        call.begin(collected)
                        collected.closed.whenComplete { status, _ ->
                            ends.incrementAndGet()
                            if (status.isOk) oks.incrementAndGet()
                            places.release()
                        }
                        if (random.nextInt(3) == 0) {
                            LockSupport.parkNanos(random.nextLong(600_000))
                            if (random.nextBoolean()) call.cancel("enough", null) else own.cancel(null)
                        }
                    }
                    check(places.tryAcquire(64, 30, TimeUnit.SECONDS)) {
                        "${64 - places.availablePermits()} calls did not end"
                    }
                    val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30)
                    while (streams.open.get() > 0 && System.nanoTime() < end) Thread.sleep(1)
                    streams.open.get() shouldBe 0
                }
                ends.get() shouldBe calls
                oks.get() shouldBeGreaterThan calls / 3
                streams.all.get() shouldBeGreaterThan calls / 2
                contexts.sumOf(::listenersOf) shouldBe 0
                contexts.forEach { it.cancel(null) }
                if (isNight) BufferLeaks.collect() shouldBe 0
            }
        }

        test("a buffer that leaks would be found").config(enabled = isNight) {
            BufferLeaks.leakOne()
            BufferLeaks.collect() shouldBe 1
        }
    })

/** How many listeners [context] has; gRPC has this for its own tests. */
internal fun listenersOf(context: Context): Int =
    Context::class.java.getDeclaredMethod("listenerCount").apply { isAccessible = true }.invoke(context) as Int
