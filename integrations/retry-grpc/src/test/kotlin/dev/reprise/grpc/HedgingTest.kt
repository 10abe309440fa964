package dev.reprise.grpc

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.java.JavaRetrier
import io.grpc.Channel
import io.grpc.Context
import io.grpc.Metadata
import io.grpc.MethodDescriptor
import io.grpc.Status.Code
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.element
import io.kotest.property.checkAll
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import io.grpc.CallOptions as GrpcOptions

private const val MILLI = 1_000_000L
private val TAG = Metadata.Key.of("tag", Metadata.ASCII_STRING_MARSHALLER)

/** One call whose first attempt gets a copy after 50 ms, to a server that plays [answers]. */
private class HedgedCall(
    vararg answers: Answer,
    policy: RetryPolicyBuilder.() -> Unit = {},
    private val method: MethodDescriptor<String, String> = Methods.READ,
    private val quota: RetryQuota? = RetryQuota(),
    private val rate: SendRate? = null,
    private val options: GrpcOptions = GrpcOptions.DEFAULT,
) {
    val clock = VirtualClock()
    val events = mutableListOf<RetryEvent>()
    val server = ScriptedServer(*answers, timers = clock, clock = clock::nanoTime)
    val context: Context.CancellableContext = Context.ROOT.withCancellation()
    val collected = Collected<String>()
    lateinit var channel: Channel
        private set
    var endedAt = -1L
        private set

    private val policy = RetryPolicy {
        backoff = Backoff.fixed(10.milliseconds)
        hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0)
        policy()
    }

    /** Makes the call, lets [act] act after [afterMillis], and lets a minute pass. */
    fun play(afterMillis: Long = 0, act: HedgedCall.(io.grpc.ClientCall<*, *>) -> Unit = {}) = apply {
        val retrier = clock.builder(policy).quota(quota).listener { events += it }
        rate?.let(retrier::sendRate)
        virtualLink(clock, server, RetryClientInterceptor(retrier.build())).use { link ->
            channel = link.channel
            val call = context.call { link.channel.newCall(method, options.withExecutor(VirtualClock.DIRECT)) }
            collected.closed.whenComplete { _, _ -> endedAt = clock.nanoTime() / MILLI }
            call.start(collected, Metadata().also { it.put(TAG, "mine") })
            call.request(2)
            call.sendMessage("hello")
            call.halfClose()
            clock.pass(afterMillis * MILLI)
            act(call)
            clock.pass(60_000 * MILLI)
        }
        clock.waiting shouldBe 0
        listenersOf(context) shouldBe 0
        context.cancel(null)
    }

    /** The requests: when each came, and which attempt its headers said that it was. */
    val sent get() = server.seen.map { it.atNanos / MILLI to (it.previousAttempts.singleOrNull() ?: "0") }
    val code get() = collected.closed.get().code
    val told get() = events.map { it::class.simpleName!! }.filter { it.startsWith("Hedge") }
    val refusal get() = events.filterIsInstance<RetryEvent.HedgeRefused>().single().reason

    fun ends(millis: Long, code: Code, vararg messages: String) {
        collected.closed.isDone shouldBe true
        withClue("${collected.closed.get()} $events") {
            this.code shouldBe code
            endedAt shouldBe millis
            collected.messages shouldContainExactly messages.toList()
        }
    }
}

class HedgingTest :
    FunSpec({
        fun ok(millis: Long, message: String) = Answer.ok(message).after(millis)

        fun fail(millis: Long, code: Code = Code.UNAVAILABLE) = Answer.fail(code).after(millis)

        test("a slow attempt is overtaken by its copy, which is numbered as the next attempt, and is cancelled") {
            val call = HedgedCall(ok(1_000, "slow"), ok(20, "fast")).play()
            call.ends(70, Code.OK, "fast")
            call.sent shouldContainExactly listOf(0L to "0", 50L to "1")
            call.server.cancelled.size shouldBe 1
            call.told shouldContainExactly listOf("HedgeStarted", "HedgeWon")
            call.server.seen.forEach { it.headers.getAll(TAG)!!.toList() shouldContainExactly listOf("mine") }
        }

        test("an attempt that ends before the delay has no copy") {
            val call = HedgedCall(ok(49, "fast")).play()
            call.ends(49, Code.OK, "fast")
            call.sent.size shouldBe 1
            call.told.shouldBeEmpty()
        }

        test("a final failure ends both") {
            val copy = HedgedCall(ok(1_000, "slow"), fail(5, Code.NOT_FOUND)).play()
            copy.ends(55, Code.NOT_FOUND)
            copy.server.cancelled.size shouldBe 1
            val first = HedgedCall(fail(60, Code.NOT_FOUND), ok(1_000, "slow")).play()
            first.ends(60, Code.NOT_FOUND)
            first.server.cancelled.size shouldBe 1
        }

        test("if both fail the attempt has failed once, and a retry follows, without a copy") {
            val call = HedgedCall(fail(60), fail(30), ok(500, "retry")).play()
            call.ends(590, Code.OK, "retry")
            call.sent shouldContainExactly listOf(0L to "0", 50L to "1", 90L to "1")
            call.events.count { it is RetryEvent.AttemptFailed } shouldBe 1
        }

        test("if nothing follows, the caller gets the failure that counts, with its trace") {
            for (answers in listOf(arrayOf(fail(60), fail(30)), arrayOf(fail(90), fail(10)))) {
                val call = HedgedCall(*answers, policy = { maxAttempts = 1 }).play()
                call.ends(if (answers[0].millis == 60L) 80 else 90, Code.UNAVAILABLE)
                call.collected.closed.get().description shouldBe "as scripted"
                RetryTrace.of(call.collected.closed.get().asException())!!.attempts shouldBe 1
            }
        }

        test("a negative pushback of either means no retry; the other execution may still succeed") {
            val stop = Answer.fail(Code.UNAVAILABLE, "grpc-retry-pushback-ms" to "-1")
            for (answers in listOf(arrayOf(fail(60), stop.after(30)), arrayOf(stop.after(60), fail(30)))) {
                HedgedCall(*answers).play().sent.size shouldBe 2
            }
            HedgedCall(ok(100, "first"), stop.after(5)).play().ends(100, Code.OK, "first")
        }

        test("a copy is refused without quota, budget or permit, and the call goes on without") {
            val slow = ok(100, "slow")
            val rate = SendRateSettings.builder().scale(1e-30).minFillRate(1e-3).minCapacity(64.0).build()
            val single = SendRate(rate, 0).apply { record(throttled = true, sentAt = 0, now = 0) }
            val calls = mapOf(
                HedgeRefusal.QUOTA to HedgedCall(slow, quota = RetryQuota(500, 200)),
                HedgeRefusal.BUDGET to HedgedCall(slow, policy = { hedge = Hedge.after(50.milliseconds) }),
                HedgeRefusal.SEND_RATE to HedgedCall(slow, policy = { sendRate = rate }, rate = single),
            )
            for ((refusal, call) in calls) {
                // A permit for one request has come by then.
                if (refusal == HedgeRefusal.SEND_RATE) call.clock.pass(1_500_000 * MILLI)
                val begin = call.clock.nanoTime() / MILLI
                call.play().ends(begin + 100, Code.OK, "slow")
                call.sent.size shouldBe 1
                call.refusal shouldBe refusal
            }
        }

        test("no copy is sent while the server is busy") {
            val call = HedgedCall(Answer.fail(Code.RESOURCE_EXHAUSTED), ok(1, "retry"), ok(100, "slow"))
            call.play(afterMillis = 500) { channel.newCall(Methods.READ, GrpcOptions.DEFAULT).begin() }
            call.ends(11, Code.OK, "retry")
            call.sent.size shouldBe 3
            call.refusal shouldBe HedgeRefusal.SERVER_BUSY
        }

        test("only what may be repeated has a copy") {
            val slow = arrayOf(ok(100, "slow"))
            HedgedCall(*slow, method = Methods.WRITE).play().sent.size shouldBe 1
            HedgedCall(*slow, method = Methods.LIST).play().sent.size shouldBe 1
            val once = GrpcOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.NO_RETRY)
            HedgedCall(*slow, options = once).play().sent.size shouldBe 1
            val marked = GrpcOptions.DEFAULT.withOption(GrpcCallOptions.KEY, GrpcCallOptions.IDEMPOTENT)
            HedgedCall(*slow, method = Methods.WRITE, options = marked).play().sent.size shouldBe 2
        }

        test("the attempt timeout ends both, in gRPC's time and in the retrier's, and the retry follows") {
            val server = ScriptedServer(Answer.SILENCE, Answer.SILENCE)
            val policy = RetryPolicy {
                hedge = Hedge.after(1.milliseconds, maxExtraLoad = 1.0)
                attemptTimeout = 400.milliseconds
                // A slow machine may need more than one attempt to reach the server.
                maxAttempts = 10
                backoff = Backoff.IMMEDIATE
            }
            Link(Wire.IN_PROCESS, server, RetryClientInterceptor(JavaRetrier.of(policy))).use { link ->
                val call = link.channel.newCall(Methods.READ, GrpcOptions.DEFAULT).begin()
                call.closed.get(30, TimeUnit.SECONDS).isOk shouldBe true
                call.messages shouldContainExactly listOf("ok")
                server.awaitCancelled(2).size shouldBe 2
            }
        }

        test("cancelling the call or its context ends both, with one end") {
            val slow = arrayOf(Answer.SILENCE, Answer.SILENCE)
            val cancelled = HedgedCall(*slow).play(afterMillis = 70) { it.cancel("enough", null) }
            cancelled.ends(70, Code.CANCELLED)
            cancelled.collected.closed.get().description shouldBe "enough"
            cancelled.server.cancelled.size shouldBe 2
            val gone = HedgedCall(*slow).play(afterMillis = 70) { context.cancel(null) }
            gone.ends(70, Code.CANCELLED)
            gone.server.cancelled.size shouldBe 2
        }

        test("a response of either execution that has come in part only is dropped") {
            val part = Answer(null, listOf("part"), sendsHeaders = true).after(5)
            val call = HedgedCall(part, ok(10, "whole")).play()
            call.ends(60, Code.OK, "whole")
            call.collected.told shouldContainExactly listOf("headers", "message", "close")
            HedgedCall(ok(100, "whole"), part).play().ends(100, Code.OK, "whole")
        }

        test("whatever both do, a call ends once, with the response of one of them, and leaves nothing") {
            val answers = arbitrary {
                val millis = Arb.element(0L, 1L, 49L, 50L, 51L, 60L, 100L).bind()
                when (Arb.element(0, 1, 2, 3, 4, 5).bind()) {
                    0 -> ok(millis, "ok $millis")
                    1 -> fail(millis, Code.NOT_FOUND)
                    2 -> fail(millis, Code.RESOURCE_EXHAUSTED)
                    3 -> fail(millis).copy(sendsHeaders = true)
                    4 -> Answer(null, listOf("part"), sendsHeaders = true).after(millis)
                    else -> fail(millis)
                }
            }
            checkAll(100, answers, answers, answers, Arb.element(0L, 20L, 50L, 55L, 300L)) { first, copy, retry, at ->
                val call = HedgedCall(first, copy, retry, policy = { maxAttempts = 2 })
                call.play(at) { it.cancel("enough", null) }
                call.collected.closed.isDone shouldBe true
                call.collected.told.last() shouldBe "close"
                if (call.code == Code.OK) {
                    call.collected.told shouldContainExactly listOf("headers", "message", "close")
                    listOf(first, copy, retry).flatMap { it.messages } shouldContain call.collected.messages.single()
                }
                call.sent.size shouldBeLessThanOrEqualTo 3
                call.told.count { it == "HedgeStarted" } shouldBeLessThanOrEqualTo 1
            }
        }
    })
