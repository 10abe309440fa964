package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions.Companion.named
import dev.reprise.core.FailureKind
import dev.reprise.core.Hedge
import dev.reprise.core.Polling
import dev.reprise.core.Repeat
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.java.JavaRetrier
import io.grpc.CallOptions
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status
import io.grpc.Status.Code
import io.grpc.StatusRuntimeException
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import java.util.concurrent.ExecutionException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** A call in virtual time against a server with a script, and what came of it. */
private class Trial(vararg answers: Answer, policy: RetryPolicy = STEPS) {
    val clock = VirtualClock()
    val server = ScriptedServer(*answers, clock = clock::nanoTime)
    val kinds = mutableListOf<FailureKind>()
    private val listener = RetryListener { if (it is RetryEvent.RetryScheduled) kinds += it.kind }
    var interceptor = RetryClientInterceptor(clock.retrier(policy, listener))

    fun status(
        method: MethodDescriptor<String, String> = Methods.READ,
        options: CallOptions = CallOptions.DEFAULT,
    ): Status = virtualLink(clock, server, interceptor).use { link ->
        val call = link.channel.newCall(method, options.withExecutor(VirtualClock.DIRECT)).begin()
        clock.until { call.closed.isDone }
        call.closed.get()
    }

    /** The times between requests in ms. */
    val waits: List<Long> get() = server.seen.zipWithNext { a, b -> (b.atNanos - a.atNanos) / 1_000_000 }

    companion object {
        /** Waits 10, 20, 40, ... ms. */
        val STEPS = RetryPolicy {
            maxAttempts = 5
            backoff = Backoff.exponential(base = 10.milliseconds, throttlingBase = 100.milliseconds)
        }
    }
}

/** How the libraries say so: Java, Go, C++, Node.js, .NET, Swift, connect-go. */
private val TOO_LARGE = listOf(
    "gRPC message exceeds maximum size 4194304: 5000000",
    "Decompressed gRPC message exceeds maximum size 4194304",
    "message too large 5000000 > 4194304",
    "grpc: received message larger than max (5000000 vs. 4194304)",
    "grpc: received message after decompression larger than max 4194304",
    "trying to send message larger than max (5000000 vs. 4194304)",
    "SERVER: Received message larger than max (5000000 vs. 4194304)",
    "Received message larger than max (5000000 vs 4194304)",
    "Received message that decompresses to a size larger than 4194304",
    "Attempted to send message with a size larger than 4194304",
    "Received message exceeds the maximum configured message size.",
    "Sending message exceeds the maximum configured message size.",
    "Message has exceeded the configured maximum payload size (max: 4194304, actual: 5000000)",
    "message size 5000000 is larger than configured max 4194304",
)

private fun reasonOf(status: Status): StopReason? = status.cause?.let { RetryTrace.of(it) }?.reason

class RulesTest :
    FunSpec({
        test("UNAVAILABLE and RESOURCE_EXHAUSTED are retried, no other status is") {
            val attempts = Code.entries.filter { it != Code.OK }.associateWith { code ->
                Trial(Answer.fail(code)).run {
                    status().code shouldBe if (code in RETRIED) Code.OK else code
                    server.seen.size
                }
            }
            attempts shouldContainExactly
                Code.entries.filter { it != Code.OK }.associateWith { if (it in RETRIED) 2 else 1 }
        }

        test("RESOURCE_EXHAUSTED is a throttle") {
            Trial(Answer.fail(Code.RESOURCE_EXHAUSTED)).run {
                status().isOk shouldBe true
                kinds shouldContainExactly listOf(FailureKind.THROTTLING)
                waits shouldContainExactly listOf(100)
            }
        }

        for (words in TOO_LARGE) {
            test("RESOURCE_EXHAUSTED because a message was too large is final: $words") {
                Trial(Answer(Status.RESOURCE_EXHAUSTED.withDescription(words))).run {
                    status().code shouldBe Code.RESOURCE_EXHAUSTED
                    server.seen shouldHaveSize 1
                }
            }
        }

        test("ABORTED is retried by a policy that asks for it") {
            val policy = Trial.STEPS.with { classifier = GrpcErrors.on(Code.ABORTED) or classifier }
            Trial(Answer.fail(Code.ABORTED), policy = policy).run {
                status().isOk shouldBe true
                server.seen shouldHaveSize 2
            }
        }

        test("CANCELLED is final, whatever the policy says") {
            val policy = RetryPolicy.ANY_EXCEPTION.with { classifier = GrpcErrors.on(Code.CANCELLED) or classifier }
            Trial(Answer.fail(Code.CANCELLED), policy = policy).run {
                status().code shouldBe Code.CANCELLED
                server.seen shouldHaveSize 1
            }
        }

        test("a method that is not idempotent is sent once") {
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                reasonOf(status(Methods.WRITE)) shouldBe StopReason.NOT_REPLAYABLE
                server.seen shouldHaveSize 1
            }
        }

        test("a call option or a rule says that a method is idempotent, a call option that it is sent once") {
            val idempotent = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT)
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                status(Methods.WRITE, idempotent).isOk shouldBe true
                server.seen shouldHaveSize 2
            }
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                interceptor = interceptor.idempotent { it.bareMethodName == "Write" }
                status(Methods.WRITE).isOk shouldBe true
            }
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                val once = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.NO_RETRY)
                status(Methods.READ, once).code shouldBe Code.UNAVAILABLE
                server.seen shouldHaveSize 1
            }
        }

        test("options that do not say whether a call may be repeated leave it to the method and the rule") {
            val named = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, named("charge card"))
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                reasonOf(status(Methods.WRITE, named)) shouldBe StopReason.NOT_REPLAYABLE
                server.seen shouldHaveSize 1
            }
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                interceptor = interceptor.idempotent { it.bareMethodName == "Write" }
                status(Methods.WRITE, named).isOk shouldBe true
            }
        }

        test("a stream as a message is sent once, since it is consumed") {
            val marshaller = object : MethodDescriptor.Marshaller<java.io.InputStream> {
                override fun stream(value: java.io.InputStream) = value

                override fun parse(stream: java.io.InputStream) = stream
            }
            val method = Methods.READ.toBuilder(marshaller, Methods.Text).build()
            Trial(Answer.fail(Code.UNAVAILABLE)).run {
                val closed = virtualLink(clock, server, interceptor).use { link ->
                    val call = link.channel.newCall(method, CallOptions.DEFAULT)
                    val listener = Collected<String>()
                    call.start(listener, io.grpc.Metadata())
                    call.request(2)
                    call.sendMessage("hello".byteInputStream())
                    call.halfClose()
                    clock.until { listener.closed.isDone }
                    listener.closed.get()
                }
                closed.code shouldBe Code.UNAVAILABLE
                server.seen shouldHaveSize 1
            }
        }

        test("a request that never reached a connection is repeated, whatever its method") {
            val clock = VirtualClock()
            val interceptor = RetryClientInterceptor(clock.retrier(Trial.STEPS))
            val channel = io.grpc.inprocess.InProcessChannelBuilder.forName("nobody").directExecutor()
                .scheduledExecutorService(clock).intercept(interceptor).build()
            val call = channel.newCall(Methods.WRITE, CallOptions.DEFAULT).begin()
            clock.until { call.closed.isDone }
            channel.shutdownNow()
            val cause = call.closed.get().cause.shouldNotBeNull()
            RetryTrace.of(cause)!!.attempts shouldBe 5
        }

        test("pushback is the wait, and the backoff then starts anew") {
            val pushed = Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to "7")
            val plain = Answer.fail(Code.UNAVAILABLE)
            Trial(plain, pushed, plain, plain).run {
                status().isOk shouldBe true
                waits shouldContainExactly listOf(10, 7, 10, 20)
            }
        }

        test("pushback that is negative or unreadable stops, also a policy that retries everything") {
            for (value in listOf("-1", "", "soon", "1.5", "99999999999")) {
                val policy = Trial.STEPS.with { classifier = RetryPolicy.ANY_EXCEPTION.classifier }
                Trial(Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to value), policy = policy).run {
                    status().run {
                        code shouldBe Code.UNAVAILABLE
                        RetryTrace.of(cause!!)?.reason shouldBe StopReason.RETRIED_BELOW
                    }
                    server.seen shouldHaveSize 1
                }
            }
        }

        test("a policy for work that begins anew goes on after a negative pushback, and so does a poll around a stub") {
            val pushed = Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to "-1")
            Trial(pushed, pushed, policy = Trial.STEPS.with { whenRetriedBelow = WhenRetriedBelow.RETRY }).run {
                status().isOk shouldBe true
                waits shouldContainExactly listOf(10, 20)
            }
            val poller = JavaRetrier.of(QUICK.with { classifyFirst(GrpcErrors) })
            val looks = ArrayDeque(listOf(pushed, pushed))
            val polling = Polling.every(1.milliseconds, deadline = 10.seconds)
            poller.pollUntil<String, StatusRuntimeException>(polling, { true }) {
                looks.removeFirstOrNull()?.let { throw it.status!!.asRuntimeException(it.trailers()) }
                "done"
            } shouldBe "done"
        }

        test("of several pushbacks one that is negative or unreadable stops, and otherwise the longest counts") {
            for ((values, expected) in listOf(
                listOf("7", "-1") to Pushback.STOP,
                listOf("-1", "7") to Pushback.STOP,
                listOf("soon", "7") to Pushback.STOP,
                listOf("9", "7") to 9_000_000L,
            )) {
                val trailers = Metadata().apply { values.forEach { put(Pushback.KEY, it) } }
                val verdict = GrpcErrors.classifyFailure(Status.UNAVAILABLE.asRuntimeException(trailers))
                (verdict as Verdict.Retry).serverDelay!!.delay.inWholeNanoseconds shouldBe expected
                verdict.isRetriedBelow shouldBe (expected == Pushback.STOP)
            }
        }

        test("a status that a policy asks for is not retried against the server's word around a stub either") {
            fun attempts(code: Code, pushback: String?): Int {
                val policy = QUICK.with { classifier = GrpcErrors.on(code) or classifier }
                val trailers = Metadata().apply { pushback?.let { put(Pushback.KEY, it) } }
                var attempts = 0
                shouldThrow<StatusRuntimeException> {
                    JavaRetrier.of(policy).call<Unit, StatusRuntimeException> {
                        attempts++
                        throw code.toStatus().asRuntimeException(trailers)
                    }
                }
                return attempts
            }
            attempts(Code.ABORTED, pushback = null) shouldBe 3
            attempts(Code.ABORTED, pushback = "1") shouldBe 3
            attempts(Code.ABORTED, pushback = "-1") shouldBe 1
            attempts(Code.CANCELLED, pushback = null) shouldBe 1
        }

        test("a status is found in causes, as a future's get wraps it, and the nearest one decides") {
            fun wrapped(status: Status, pushback: String? = null) = ExecutionException(
                "order failed",
                status.asRuntimeException(Metadata().apply { pushback?.let { put(Pushback.KEY, it) } }),
            )
            val unavailable = wrapped(Status.UNAVAILABLE, pushback = "7")
            (GrpcErrors.classifyFailure(unavailable) as Verdict.Retry).serverDelay!!.delay.inWholeNanoseconds shouldBe
                7_000_000L
            GrpcErrors.classifyFailure(wrapped(Status.NOT_FOUND.withCause(unavailable))) shouldBe Verdict.Reject

            val aborted = GrpcErrors.on(Code.ABORTED)
            (aborted.classifyFailure(wrapped(Status.ABORTED, pushback = "7")) as Verdict.Retry)
                .serverDelay!!.delay.inWholeNanoseconds shouldBe 7_000_000L
            aborted.classifyFailure(wrapped(Status.NOT_FOUND.withCause(wrapped(Status.ABORTED)))) shouldBe null
        }

        test("pushback beyond the policy's bound ends the call; without one it is a minute") {
            for ((millis, policy, attempts) in listOf(
                Triple("5000", Trial.STEPS, 2),
                Triple("5001", Trial.STEPS, 1),
                Triple("60000", Trial.STEPS.with { serverDelays = emptyList() }, 2),
                Triple("60001", Trial.STEPS.with { serverDelays = emptyList() }, 1),
            )) {
                Trial(Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to millis), policy = policy).run {
                    status()
                    server.seen shouldHaveSize attempts
                }
            }
        }

        for (heard in listOf(emptyArray(), arrayOf(RetryListener {}))) {
            val clue = "with ${heard.size} listeners"

            /** How many requests a server sees that plays [answers], one call of each of the [methods]. */
            fun requests(
                policy: RetryPolicy,
                methods: List<MethodDescriptor<String, String>>,
                answers: List<Answer>,
            ): Int {
                val clock = VirtualClock()
                val server = ScriptedServer(*answers.toTypedArray(), timers = clock, clock = clock::nanoTime)
                val interceptor = RetryClientInterceptor(clock.retrier(policy, *heard)).idempotent { true }
                virtualLink(clock, server, interceptor).use { link ->
                    for (method in methods) {
                        val options = CallOptions.DEFAULT.withExecutor(VirtualClock.DIRECT)
                        val call = link.channel.newCall(method, options).begin()
                        clock.until { call.closed.isDone }
                    }
                }
                return server.seen.size
            }

            test("each method learns for itself when to send a copy, $clue") {
                val hedged = Trial.STEPS.with { hedge = Hedge(maxExtraLoad = 1.0) }
                val answers = List(100) { Answer.ok("ok").after(10) } + Answer.ok("slow").after(1_000)
                requests(hedged, List(100) { Methods.WRITE } + Methods.READ, answers) shouldBe 101
                requests(hedged, List(100) { Methods.READ } + Methods.READ, answers) shouldBe 102
            }

            test("each method has its share of a steady quota, $clue") {
                val steady = RetryPolicy.STANDARD_STEADY.with { backoff = Backoff.IMMEDIATE }
                val good = List(500) { Methods.WRITE }
                val answers = List(500) { Answer.ok("ok").after(8) } + List(1_000) { Answer.fail(Code.UNAVAILABLE) }
                requests(steady, good + List(60) { Methods.READ }, answers) shouldBe 500 + 60 + 17
            }
        }

        test("a listener hears the method's name, and options give another") {
            val names = mutableListOf<String?>()
            val clock = VirtualClock()
            val retrier = clock.retrier(
                Trial.STEPS,
                RetryListener {
                    if (it is RetryEvent.CallSucceeded) {
                        names +=
                            it.operation
                    }
                },
            )
            virtualLink(clock, ScriptedServer(), RetryClientInterceptor(retrier)).use { link ->
                val own = CallOptions.DEFAULT.withOption(GrpcCallOptions.KEY, named("mine"))
                for (options in listOf(CallOptions.DEFAULT, own)) {
                    val call = link.channel.newCall(Methods.READ, options).begin()
                    clock.until { call.closed.isDone }
                }
            }
            names shouldContainExactly listOf("test.Echo/Read", "mine")
        }

        test("messages are judged by the policy's classifier; the last one arrives though it is bad") {
            for (method in listOf(Methods.READ, Methods.LIST)) {
                val policy = Trial.STEPS.with {
                    maxAttempts = 2
                    classifier = dev.reprise.core.Classifier.results { message ->
                        if (message == "later") dev.reprise.core.Verdict.TRANSIENT else null
                    } or classifier
                }
                for ((answers, last) in listOf(listOf("later", "now") to "now", listOf("later", "later") to "later")) {
                    val clock = VirtualClock()
                    val server = ScriptedServer(*answers.map { Answer.ok(it) }.toTypedArray())
                    virtualLink(clock, server, RetryClientInterceptor(clock.retrier(policy))).use { link ->
                        val call = link.channel.newCall(method, CallOptions.DEFAULT).begin()
                        clock.until { call.closed.isDone }
                        call.closed.get().isOk shouldBe true
                        call.messages shouldContainExactly listOf(last)
                        call.told shouldContainExactly listOf("headers", "message", "close")
                    }
                    server.seen shouldHaveSize 2
                }
            }
        }

        test("the constants say what they mean") {
            GrpcCallOptions.IDEMPOTENT.repeat shouldBe Repeat.SAFE
            GrpcCallOptions.NO_RETRY.repeat shouldBe Repeat.NEVER
        }
    }) {
    private companion object {
        val RETRIED = setOf(Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED)
    }
}
