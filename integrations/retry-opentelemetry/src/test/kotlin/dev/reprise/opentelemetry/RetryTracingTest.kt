package dev.reprise.opentelemetry

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.opentelemetry.api.common.Attributes
import io.opentelemetry.api.trace.Span
import io.opentelemetry.api.trace.StatusCode
import io.opentelemetry.context.Context
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import java.io.IOException
import kotlin.random.Random

class RetryTracingTest :
    FunSpec({
        val options = CallOptions("users.get")

        fun retrier(
            tracing: RetryTracing,
            quota: RetryQuota? = RetryQuota(500),
            policy: RetryPolicy = RetryPolicy.STANDARD,
        ) = Retrier.builder(policy).quota(quota).listener(tracing).draws { 1.0 }.waiter { delay(1) }.build()

        test("each attempt has a span under the call's, and the call's lies under the caller's") {
            val spans = Spans()
            val tracing = RetryTracing(spans.tracer)
            val caller = spans.tracer.spanBuilder("caller").startSpan()
            runBlocking {
                caller.makeCurrent().use {
                    retrier(tracing)(options) { if (it.number < 3) throw IOException() else "up" }
                }
            }
            caller.end()
            spans.tree() shouldContainExactly
                listOf("users.get/attempt", "users.get/attempt", "users.get/attempt", "caller/users.get", "-/caller")
            spans.named("attempt").map { it.attributes.get(Keys.ATTEMPT_NUMBER) } shouldContainExactly
                listOf(1L, 2L, 3L)
            spans.named("attempt").map { it.status.statusCode } shouldContainExactly
                listOf(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET)
            spans.named("attempt").first().attributes.asMap() shouldBe
                Attributes.of(
                    Keys.ATTEMPT_NUMBER,
                    1L,
                    Keys.ERROR_TYPE,
                    "java.io.IOException",
                    Keys.FAILURE_KIND,
                    "transient",
                ).asMap()
            spans.call().attributes.asMap() shouldBe
                Attributes.of(Keys.ATTEMPTS, 3L, Keys.STOP_REASON, "success").asMap()
            spans.call().status.statusCode shouldBe StatusCode.UNSET
            tracing.openCalls shouldBe 0
        }

        test("a call's span tells its retrier's name") {
            val spans = Spans()
            for (name in listOf("users", null)) {
                Retrier.builder().name(name).listener(RetryTracing(spans.tracer)).build()(options) { "up" }
            }
            spans.named("users.get").map { it.attributes.get(Keys.CLIENT) } shouldBe listOf("users", null)
        }

        test("waits are events of the call's span, with the parts of the delay") {
            val spans = Spans()
            runTest {
                retrier(RetryTracing(spans.tracer)).outcome(options) {
                    if (it.number == 1) Answer(503, "60000") else Answer(200, null)
                }
            }
            val event = spans.call().events.single()
            event.name shouldBe "reprise.retry.scheduled"
            event.attributes.asMap() shouldBe
                Attributes.of(Keys.DELAY, 5.05, Keys.BACKOFF, 0.05, Keys.SERVER_DELAY, 60.0).asMap()
        }

        test("a response that was not accepted gives the attempt its status") {
            val seen = Spans()
            runTest {
                retrier(RetryTracing(seen.tracer)).outcome(options) {
                    if (it.number < 3) Answer(503, null) else Answer(200, null)
                }
            }
            seen.named("attempt").map { it.attributes.get(Keys.STATUS_CODE) } shouldContainExactly
                listOf(503L, 503L, null)
            seen.named("attempt").first().attributes.get(Keys.ERROR_TYPE) shouldBe "503"
        }

        test("a call that gives up is an error that names the reason") {
            val spans = Spans()
            runTest {
                shouldThrow<IOException> {
                    retrier(RetryTracing(spans.tracer), RetryQuota(500, 3))(options) { throw IOException() }
                }
            }
            spans.call().status.statusCode shouldBe StatusCode.ERROR
            spans.call().attributes.asMap() shouldBe
                Attributes.of(
                    Keys.ATTEMPTS,
                    1L,
                    Keys.STOP_REASON,
                    "quota",
                    Keys.ERROR_TYPE,
                    "quota",
                ).asMap()
            spans.call().events.map { it.name } shouldContainExactly listOf("reprise.quota.refused")
            spans.call().events.single().attributes shouldBe Attributes.builder().put(Keys.QUOTA_AVAILABLE, 3L)
                .put(Keys.QUOTA_CAPACITY, 500L).put(Keys.QUOTA_REFUSED_BY, "client").build()
        }

        test("the attempt's span is current in the attempt on every thread, and the caller's again after it") {
            val spans = Spans()
            val tracing = RetryTracing(spans.tracer)
            val seen = mutableListOf<String>()
            runBlocking(Dispatchers.Default) {
                val before = Span.current().spanContext.spanId
                retrier(tracing)(options) { attempt ->
                    tracing.inSpan(attempt) {
                        seen += Span.current().spanContext.spanId
                        delay(2)
                        withContext(Dispatchers.IO) { seen += Span.current().spanContext.spanId }
                        Span.fromContext(tracing.contextOf(attempt)).spanContext.spanId shouldBe seen.last()
                        if (attempt.number < 3) throw IOException()
                    }
                }
                Span.current().spanContext.spanId shouldBe before
            }
            seen shouldContainExactly spans.named("attempt").flatMap { listOf(it.spanId, it.spanId) }
        }

        test("an attempt that is not traced runs in the context that is current") {
            val spans = Spans()
            runTest {
                Retrier().invoke { attempt -> RetryTracing(spans.tracer).contextOf(attempt) shouldBe Context.current() }
            }
        }

        test("every span ends, however calls end, and nothing is kept") {
            val spans = Spans()
            val tracing = RetryTracing(spans.tracer)
            val random = Random(1)
            runTest {
                val retrier = Retrier.builder().listener(tracing).waiter {
                    if (random.nextInt(4) == 0) throw CancellationException("in a wait")
                }.build()
                repeat(300) {
                    try {
                        retrier.outcome(options) {
                            when (random.nextInt(4)) {
                                0 -> "up"
                                1 -> throw IOException()
                                2 -> throw CancellationException("in an attempt")
                                else -> error("final")
                            }
                        }
                    } catch (_: CancellationException) {
                        // That is how some of them end.
                    }
                }
            }
            tracing.openCalls shouldBe 0
            spans.named("users.get").size shouldBe 300
            spans.named("attempt").size.toLong() shouldBe
                spans.named("users.get").sumOf { it.attributes.get(Keys.ATTEMPTS)!! }
        }
    })

private class Answer(override val status: Int, private val wish: String?) : HttpOutcome() {
    override fun header(name: String): String? = wish.takeIf { name == "x-amz-retry-after" }
}
