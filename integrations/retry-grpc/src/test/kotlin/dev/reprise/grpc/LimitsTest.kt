package dev.reprise.grpc

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import io.grpc.CallOptions
import io.grpc.Channel
import io.grpc.ClientCall
import io.grpc.ClientInterceptor
import io.grpc.ClientInterceptors
import io.grpc.Context
import io.grpc.Deadline
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status.Code
import io.grpc.StatusRuntimeException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import dev.reprise.core.CallOptions as RetryOptions

private val SLOW = RetryPolicy { backoff = Backoff.fixed(10.minutes) }

/** A send rate that has no token for the next minutes. */
private fun empty(settings: SendRateSettings): SendRate {
    val now = System.nanoTime()
    return SendRate(settings, now).apply { record(throttled = true, sentAt = now, now = now) }
}

/** A retrier of [policy], and a latch that opens when a call of it waits. */
private class Waiting(policy: RetryPolicy) {
    val waits = CountDownLatch(1)
    private val listener = RetryListener { if (it is RetryEvent.RetryScheduled) waits.countDown() }
    private val java = JavaRetrier.builder(policy).listener(listener)
        .apply { policy.sendRate?.let { sendRate(empty(it)) } }
        .build()
    val retrier = java.retrier()
    val interceptor = RetryClientInterceptor(java)

    fun await() = check(waits.await(30, TimeUnit.SECONDS)) { "no call waits" }
}

/** A way into a wait of minutes. */
private class Wait(val policy: RetryPolicy, val answer: Answer)

private val WAITS = mapOf(
    "after a failure" to Wait(SLOW, Answer.fail(Code.UNAVAILABLE)),
    "after a rejected response" to
        Wait(SLOW.with { classifier = Classifier.results { Verdict.TRANSIENT } or classifier }, Answer.ok("later")),
    "for a send permit" to Wait(
        SLOW.with { sendRate = SendRateSettings.builder().scale(1e-30).minFillRate(1e-3).minCapacity(64.0).build() },
        Answer.ok("now"),
    ),
)

/** A limit of a call, set by [policy] or [options], and the status [code] that the call ends with. */
private class Limits(val policy: RetryPolicy, val code: Code, val options: (CallOptions) -> CallOptions = { it })

private val LIMITS = mapOf(
    "an attempt's timeout" to Limits(
        SLOW.with {
            attemptTimeout = 100.milliseconds
            maxAttempts = 1
        },
        Code.DEADLINE_EXCEEDED,
    ),
    "the deadline of the policy" to Limits(SLOW.with { deadline = 100.milliseconds }, Code.DEADLINE_EXCEEDED),
    "the deadline of the call" to
        Limits(SLOW, Code.DEADLINE_EXCEEDED) { it.withDeadlineAfter(100, TimeUnit.MILLISECONDS) },
    "the context" to Limits(SLOW, Code.CANCELLED),
)

class LimitsTest :
    FunSpec({
        test("a call that was cancelled before it is started is not, as without the interceptor") {
            val interceptor = RetryClientInterceptor(JavaRetrier.of(SLOW))
            val words = listOf(emptyArray(), arrayOf(interceptor)).map { interceptors ->
                virtualLink(VirtualClock(), ScriptedServer(Answer.ok("a")), *interceptors).use { link ->
                    val call = link.channel.newCall(Methods.READ, CallOptions.DEFAULT)
                    call.cancel("enough", null)
                    shouldThrow<IllegalStateException> { call.begin() }.message
                }
            }
            words.toSet() shouldHaveSize 1
        }

        test(
            "a call that was started ends with its context, though its request is not complete, as without the interceptor",
        ) {
            for (hasDeadline in listOf(false, true)) {
                val interceptor = RetryClientInterceptor(JavaRetrier.of(SLOW))
                val ends = listOf(emptyArray(), arrayOf(interceptor)).map { interceptors ->
                    val clock = VirtualClock()
                    virtualLink(clock, ScriptedServer(), *interceptors).use { link ->
                        // gRPC's own clock is the system's. Long enough that the call has begun before it.
                        val deadline = Deadline.after(250, TimeUnit.MILLISECONDS)
                        val root = Context.current()
                        val context = if (hasDeadline) root.withDeadline(deadline, clock) else root.withCancellation()
                        val collected = Collected<String>()
                        context.run {
                            val options = CallOptions.DEFAULT.withExecutor(VirtualClock.DIRECT)
                            val call = link.channel.newCall(Methods.LIST, options)
                            call.start(collected, Metadata())
                            call.request(1)
                        }
                        if (hasDeadline) {
                            while (!deadline.isExpired) Thread.onSpinWait()
                            clock.pass(TimeUnit.SECONDS.toNanos(1))
                        } else {
                            context.cancel(null)
                        }
                        listenersOf(context) shouldBe 0
                        collected.closed.getNow(null)?.code
                    }
                }
                ends shouldBe List(2) { if (hasDeadline) Code.DEADLINE_EXCEEDED else Code.CANCELLED }
            }
        }

        test("a call whose request is not complete can be cancelled after a rule has thrown, and leaves no listener") {
            val interceptor = RetryClientInterceptor(JavaRetrier.of(SLOW)).idempotent { error("a rule") }
            virtualLink(VirtualClock(), ScriptedServer(), interceptor).use { link ->
                val context = Context.current().withCancellation()
                val collected = Collected<String>()
                context.run {
                    val options = CallOptions.DEFAULT.withExecutor(VirtualClock.DIRECT)
                    val call = link.channel.newCall(Methods.WRITE, options)
                    shouldThrow<IllegalStateException> { call.begin(collected) }.message shouldBe "a rule"
                    call.cancel("enough", null)
                }
                collected.closed.getNow(null)?.description shouldBe "enough"
                listenersOf(context) shouldBe 0
                context.cancel(null)
            }
        }

        test("a request is complete once, after the start, and takes no message after that") {
            virtualLink(VirtualClock(), ScriptedServer(), RetryClientInterceptor(JavaRetrier.of(SLOW))).use { link ->
                val call = link.channel.newCall(Methods.READ, CallOptions.DEFAULT.withExecutor(VirtualClock.DIRECT))
                shouldThrow<IllegalStateException> { call.halfClose() }
                call.start(Collected(), Metadata())
                call.halfClose()
                shouldThrow<IllegalStateException> { call.halfClose() }
                shouldThrow<IllegalStateException> { call.sendMessage("late") }
            }
        }

        for (wire in Wire.entries) {
            context("$wire") {
                test("an attempt that times out is retried, and its request is cancelled") {
                    val policy = QUICK.with { attemptTimeout = 1.seconds }
                    for (method in listOf(Methods.READ, Methods.LIST)) {
                        val server = ScriptedServer(Answer.ok("ok"), Answer.SILENCE)
                        Link(wire, server).use { link ->
                            // Without a limit: then there is a connection, and each attempt comes to the server.
                            link.channel.unary(Methods.READ)
                            val limited = ClientInterceptors.intercept(
                                link.channel,
                                RetryClientInterceptor(JavaRetrier.of(policy)),
                            )
                            val call = limited.newCall(method, CallOptions.DEFAULT).begin()
                            call.closed.get(30, TimeUnit.SECONDS).isOk shouldBe true
                            call.messages shouldBe listOf("ok")
                            server.seen shouldHaveSize 3
                            server.awaitCancelled(1) shouldBe listOf(method.bareMethodName)
                        }
                    }
                }

                test(
                    "an attempt whose end gRPC notices first has timed out too, also under a policy that reads statuses",
                ) {
                    val policy = RetryPolicy {
                        backoff = Backoff.IMMEDIATE
                        attemptTimeout = 500.milliseconds
                        classifyFirst(GrpcErrors)
                    }
                    // The retrier's own timer never comes.
                    val late = object : JavaWaiter by JavaWaiter.SYSTEM {
                        override fun after(duration: Duration, task: Runnable) = Runnable {}
                    }
                    val retrier = JavaRetrier.builder(policy).waiter(late).build()
                    val server = ScriptedServer(Answer.SILENCE)
                    Link(wire, server, RetryClientInterceptor(retrier)).use {
                        it.channel.unary(Methods.READ) shouldBe "ok"
                    }
                    server.seen shouldHaveSize 2
                }

                test("the deadline of the policy or of the call's options bounds a stream to its end") {
                    val limit = 1.seconds
                    val bounded = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, RetryOptions { deadline = limit })
                    val open = Answer.SILENCE.copy(messages = listOf("a"), sendsHeaders = true)
                    for ((policy, options) in listOf(
                        QUICK.with { deadline = limit } to CallOptions.DEFAULT,
                        QUICK to bounded,
                    )) {
                        val server = ScriptedServer(open)
                        Link(wire, server, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                            val call = link.channel.newCall(Methods.LIST, options).begin()
                            call.closed.get(30, TimeUnit.SECONDS).code shouldBe Code.DEADLINE_EXCEEDED
                            call.messages shouldBe listOf("a")
                            server.awaitCancelled(1) shouldHaveSize 1
                        }
                    }
                }

                test("a unary attempt carries its own deadline; a stream does not, since it may go on") {
                    val policy = QUICK.with { attemptTimeout = 60.seconds }
                    val server = ScriptedServer()
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                        link.channel.unary(Methods.READ)
                        link.channel.list()
                        link.channel.unary(Methods.READ, CallOptions.DEFAULT.withDeadlineAfter(5, TimeUnit.SECONDS))
                    }
                    val (unary, stream, bounded) = server.seen
                    unary.deadline.shouldNotBeNull().timeRemaining(TimeUnit.SECONDS) shouldBeLessThanOrEqualTo 60
                    stream.deadline.shouldBeNull()
                    bounded.deadline.shouldNotBeNull().timeRemaining(TimeUnit.SECONDS) shouldBeLessThanOrEqualTo 5
                }

                test("the last attempt's timeout is a DEADLINE_EXCEEDED with the retrier's exception as cause") {
                    val policy = QUICK.with {
                        maxAttempts = 2
                        attemptTimeout = 100.milliseconds
                    }
                    val server = ScriptedServer(Answer.SILENCE, Answer.SILENCE)
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                        val thrown = shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ) }
                        thrown.status.code shouldBe Code.DEADLINE_EXCEEDED
                        thrown.cause.shouldBeInstanceOf<AttemptTimeoutException>().attempt shouldBe 2
                        RetryTrace.of(thrown)!!.reason shouldBe StopReason.ATTEMPTS
                    }
                }

                test("the call's deadline ends it as gRPC does, and is not retried") {
                    val server = ScriptedServer(Answer.ok("ok"), Answer.SILENCE)
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(QUICK))).use { link ->
                        // Then there is a connection, and the next request comes to the server within its deadline.
                        link.channel.unary(Methods.READ)
                        val options = CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.SECONDS)
                        val thrown = shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ, options) }
                        thrown.status.code shouldBe Code.DEADLINE_EXCEEDED
                        thrown.status.description!! shouldContain "deadline"
                    }
                    server.seen shouldHaveSize 2
                }

                test("a wait that would reach the deadline of the call or of its context does not begin") {
                    val timers = Executors.newSingleThreadScheduledExecutor()
                    for (inContext in listOf(true, false)) {
                        val server = ScriptedServer(Answer.fail(Code.UNAVAILABLE))
                        Link(wire, server, RetryClientInterceptor(JavaRetrier.of(SLOW))).use { link ->
                            val thrown = shouldThrow<StatusRuntimeException> {
                                if (inContext) {
                                    Context.current().withDeadlineAfter(60, TimeUnit.SECONDS, timers).use {
                                        it.call { link.channel.unary(Methods.READ) }
                                    }
                                } else {
                                    val options = CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS)
                                    link.channel.unary(Methods.READ, options)
                                }
                            }
                            thrown.status.code shouldBe Code.UNAVAILABLE
                            RetryTrace.of(thrown)!!.reason shouldBe StopReason.DEADLINE
                        }
                    }
                    timers.shutdownNow()
                }

                test("a server's own DEADLINE_EXCEEDED is final") {
                    val policy = QUICK.with { attemptTimeout = 60.seconds }
                    val server = ScriptedServer(Answer.fail(Code.DEADLINE_EXCEEDED))
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                        shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ) }.status.run {
                            code shouldBe Code.DEADLINE_EXCEEDED
                            description shouldBe "as scripted"
                        }
                    }
                    server.seen shouldHaveSize 1
                }

                test("cancelling in a wait ends the call at once, with the caller's words") {
                    val waiting = Waiting(SLOW)
                    Link(wire, ScriptedServer(Answer.fail(Code.UNAVAILABLE)), waiting.interceptor).use { link ->
                        val call = link.channel.newCall(Methods.READ, CallOptions.DEFAULT)
                        val collected = call.begin()
                        waiting.await()
                        call.cancel("enough", IllegalStateException("why"))
                        collected.closed.get(30, TimeUnit.SECONDS).run {
                            code shouldBe Code.CANCELLED
                            description shouldBe "enough"
                            cause.shouldBeInstanceOf<IllegalStateException>()
                        }
                    }
                }

                test("a stream whose first message is there before its attempt has been sent can be cancelled") {
                    lateinit var call: ClientCall<String, String>
                    val open = Answer.SILENCE.copy(messages = listOf("a"), sendsHeaders = true)
                    val server = ScriptedServer(open)
                    val early = object : ClientInterceptor {
                        override fun <Q, R> interceptCall(
                            method: MethodDescriptor<Q, R>,
                            options: CallOptions,
                            next: Channel,
                        ): ClientCall<Q, R> = object : SimpleForwardingClientCall<Q, R>(next.newCall(method, options)) {
                            private val message = CountDownLatch(1)

                            override fun start(listener: Listener<R>, headers: Metadata) = super.start(
                                object : SimpleForwardingClientCallListener<R>(listener) {
                                    override fun onMessage(received: R) {
                                        super.onMessage(received)
                                        message.countDown()
                                    }
                                },
                                headers,
                            )

                            override fun halfClose() {
                                super.halfClose()
                                message.await()
                                call.cancel("enough", null)
                            }
                        }
                    }
                    Link(wire, server, early, RetryClientInterceptor(JavaRetrier.of(SLOW))).use { link ->
                        call = link.channel.newCall(Methods.LIST, CallOptions.DEFAULT)
                        val collected = call.begin()
                        collected.closed.get(30, TimeUnit.SECONDS).code shouldBe Code.CANCELLED
                        server.awaitCancelled(1) shouldHaveSize 1
                    }
                }

                test("cancelling in an attempt reaches the server") {
                    val server = ScriptedServer(Answer.SILENCE)
                    Link(wire, server, RetryClientInterceptor(JavaRetrier.of(SLOW))).use { link ->
                        val call = link.channel.newCall(Methods.READ, CallOptions.DEFAULT)
                        val collected = call.begin()
                        while (server.seen.isEmpty()) Thread.sleep(1)
                        call.cancel("enough", null)
                        collected.closed.get(30, TimeUnit.SECONDS).description shouldBe "enough"
                        server.awaitCancelled(1) shouldHaveSize 1
                    }
                }

                for ((what, wait) in WAITS) {
                    test("the context's cancellation ends a wait, on the call's executor and in its context: $what") {
                        val waiting = Waiting(wait.policy)
                        val key = Context.key<String>("key")
                        val executor = Executor { task ->
                            val thread = Thread.currentThread()
                            val name = thread.name
                            thread.name = "own"
                            task.run()
                            thread.name = name
                        }
                        Link(wire, ScriptedServer(wait.answer), waiting.interceptor).use { link ->
                            val context = Context.current().withValue(key, "value").withCancellation()
                            val seen = mutableListOf<String>()
                            val collected = object : io.grpc.ClientCall.Listener<String>() {
                                val closed = java.util.concurrent.CompletableFuture<io.grpc.Status>()

                                override fun onClose(status: io.grpc.Status, trailers: io.grpc.Metadata) {
                                    seen += listOf(Thread.currentThread().name, key.get())
                                    closed.complete(status)
                                }
                            }
                            context.run {
                                val options = CallOptions.DEFAULT.withExecutor(executor)
                                val call = link.channel.newCall(Methods.READ, options)
                                call.start(collected, io.grpc.Metadata())
                                call.request(2)
                                call.sendMessage("x")
                                call.halfClose()
                            }
                            // A call waits for its first permit from the beginning.
                            if (wait.policy.sendRate == null) waiting.await()
                            context.cancel(IllegalStateException("gone"))
                            collected.closed.get(30, TimeUnit.SECONDS).code shouldBe Code.CANCELLED
                            seen shouldBe listOf("own", "value")
                            listenersOf(context) shouldBe 0
                            // A rejected response is given back on a thread of the retrier's.
                            val quota = waiting.retrier.quota!!
                            while (quota.available < quota.capacity) Thread.sleep(1)
                        }
                    }
                }

                for ((what, limits) in LIMITS) {
                    test("$what ends a call whose executor is blocked") {
                        val executor = Executors.newSingleThreadExecutor()
                        executor.execute { CountDownLatch(1).await() }
                        Link(wire, ScriptedServer(), Waiting(limits.policy).interceptor).use { link ->
                            val context = Context.current().withCancellation()
                            val options = limits.options(CallOptions.DEFAULT.withExecutor(executor))
                            val call = context.call { link.channel.newCall(Methods.READ, options).begin() }
                            if (limits.code == Code.CANCELLED) context.cancel(null)
                            call.closed.get(30, TimeUnit.SECONDS).code shouldBe limits.code
                        }
                        executor.shutdownNow()
                    }
                }

                test("a blocking stub that is interrupted in a wait ends") {
                    val waiting = Waiting(SLOW)
                    Link(wire, ScriptedServer(Answer.fail(Code.UNAVAILABLE)), waiting.interceptor).use { link ->
                        val caller = Thread.currentThread()
                        val interrupter = Thread {
                            waiting.await()
                            caller.interrupt()
                        }
                        interrupter.start()
                        val thrown = shouldThrow<StatusRuntimeException> { link.channel.unary(Methods.READ) }
                        thrown.status.code shouldBe Code.CANCELLED
                        Thread.interrupted() shouldBe true
                        interrupter.join()
                    }
                }
            }
        }
    })

private inline fun <T> Context.CancellableContext.use(block: (Context) -> T): T = try {
    block(this)
} finally {
    cancel(null)
}
