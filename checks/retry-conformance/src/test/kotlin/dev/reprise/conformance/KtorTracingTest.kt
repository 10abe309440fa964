package dev.reprise.conformance

import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import dev.reprise.ktor.RetryPluginConfig
import dev.reprise.ktor.callOptions
import dev.reprise.opentelemetry.RetryTracing
import dev.reprise.opentelemetry.inSpan
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.api.Send
import io.ktor.client.plugins.api.createClientPlugin
import io.ktor.client.request.get
import io.ktor.http.HttpStatusCode
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.api.trace.Span
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.data.SpanData
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlin.time.Duration.Companion.milliseconds

/** What can be compared of two runs of the same calls; what only an HTTP call has is left out. */
private fun facts(span: SpanData) = listOf(
    span.name,
    span.attributes.asMap().filterKeys { it !in OF_HTTP },
    span.status,
    span.events.map { it.name to it.attributes.asMap() },
)

private val OF_HTTP = setOf(AttributeKey.stringKey("http.request.method"), AttributeKey.stringKey("server.address"))

/** Spans of calls through Ktor. Here, because Ktor needs newer coroutines than retry-opentelemetry, which is also tested on the oldest. */
class KtorTracingTest :
    FunSpec({
        val options = CallOptions("users.get")
        val policy = RetryPolicy { backoff = Backoff.fixed(1.milliseconds) }

        fun server(vararg statuses: Int): MockEngine {
            var next = 0
            return MockEngine { respond("", HttpStatusCode.fromValue(statuses[next++])) }
        }

        fun client(
            server: MockEngine,
            listener: RetryListener,
            inside: HttpClientConfig<*>.() -> Unit = {},
            configure: RetryPluginConfig.() -> Unit = {},
        ) = HttpClient(server) {
            install(Retry) {
                this.policy = policy
                listeners += listener
                configure()
            }
            inside()
        }

        for (statuses in listOf(listOf(200), listOf(503, 429, 200), listOf(503, 503, 503), listOf(404))) {
            test("the answers $statuses give the spans and events that the suspend face gives") {
                val ktor = Spans()
                client(server(*statuses.toIntArray()), RetryTracing(ktor.tracer)).use {
                    it.get("http://localhost/") { callOptions(options) }
                }

                val plain = Spans()
                Retrier.builder(
                    policy,
                ).name("localhost:80").listener(RetryTracing(plain.tracer)).build().outcome(options) {
                    Status(statuses[it.number - 1])
                }

                OF_HTTP.map { ktor.all().last().attributes.get(it) } shouldContainExactly listOf("GET", "localhost")
                ktor.tree() shouldContainExactly plain.tree()
                ktor.all().map(::facts) shouldContainExactly plain.all().map(::facts)
            }
        }

        test("the caller's trace is the parent, and each attempt's request can carry the attempt's own span") {
            val spans = Spans()
            val tracing = RetryTracing(spans.tracer)
            val server = server(503, 503, 200)
            val caller = spans.tracer.spanBuilder("caller").startSpan()
            client(server, tracing) {
                eachAttempt { attempt ->
                    W3CTraceContextPropagator.getInstance()
                        .inject(tracing.contextOf(attempt), headers) { carrier, name, value -> carrier!![name] = value }
                }
            }.use { client ->
                runBlocking { caller.makeCurrent().use { client.get("http://localhost/") { callOptions(options) } } }
            }
            caller.end()

            spans.tree() shouldContainExactly
                listOf("users.get/attempt", "users.get/attempt", "users.get/attempt", "caller/users.get", "-/caller")
            server.requestHistory.map { it.headers["traceparent"]!!.substringBeforeLast('-') } shouldContainExactly
                spans.named("attempt").map { "00-${it.traceId}-${it.spanId}" }
        }

        test("the coroutine's context of the call is that of every attempt, with the span that is current in it") {
            val spans = Spans()
            val outer = RetryTracing(spans.tracer)
            val seen = mutableListOf<Pair<String?, String>>()
            val inside = createClientPlugin("Inside") {
                on(Send) { request ->
                    seen += currentCoroutineContext()[CoroutineName]?.name to Span.current().spanContext.spanId
                    proceed(request)
                }
            }
            client(server(503, 503, 200), RetryTracing(spans.tracer), { install(inside) }).use { client ->
                withContext(Dispatchers.Default + CoroutineName("caller")) {
                    Retrier.builder().listener(outer).build()(CallOptions("outer")) { attempt ->
                        outer.inSpan(attempt) { client.get("http://localhost/") }
                    }
                }
            }

            spans.tree() shouldContainExactly
                List(3) { "GET localhost/attempt" } + listOf("attempt/GET localhost", "outer/attempt", "-/outer")
            seen shouldContainExactly List(3) { "caller" to spans.named("attempt").last().spanId }
        }
    })

private class Status(override val status: Int) : HttpOutcome() {
    override fun header(name: String): String? = null
}

private class Spans {
    private val exporter = InMemorySpanExporter.create()
    val tracer = SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build().get("test")

    fun all(): List<SpanData> = exporter.finishedSpanItems

    fun named(name: String): List<SpanData> = all().filter { it.name == name }

    /** Each ended span as `parent/name`, in the order of their ends. */
    fun tree(): List<String> = all().map { span ->
        (all().find { it.spanId == span.parentSpanId }?.name ?: "-") + "/" + span.name
    }
}
