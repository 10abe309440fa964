package dev.reprise.opentelemetry

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldMatch
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.api.trace.SpanKind
import io.opentelemetry.sdk.trace.data.SpanData
import kotlinx.coroutines.runBlocking
import java.io.IOException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlin.io.path.Path
import kotlin.io.path.readText

/** What OpenTelemetry's semantic conventions ask for. */
class ConventionsTest :
    FunSpec({
        val policy = RetryPolicy {
            backoff = Backoff.IMMEDIATE
            quota = null
        }

        test("http.request.resend_count is on the CLIENT spans of an attempt's requests, and on no others") {
            val spans = Spans()
            val tracing = RetryTracing(spans.openTelemetry)
            val method = AttributeKey.stringKey("http.request.method")
            val database = AttributeKey.stringKey("db.system.name")

            fun client(name: String, key: AttributeKey<String>, kind: SpanKind = SpanKind.CLIENT) =
                spans.tracer.spanBuilder(name).setSpanKind(kind).setAttribute(key, "x").startSpan().end()
            runBlocking {
                Retrier.builder(policy).listener(tracing).build().invoke { attempt ->
                    tracing.inSpan(attempt) {
                        client("request", method)
                        client("query", database)
                        client("inside", method, SpanKind.INTERNAL)
                    }
                    if (!attempt.isLast) throw IOException()
                }
            }
            client("request", method)

            spans.named("request").map { it.attributes[Keys.RESEND_COUNT] } shouldContainExactly
                listOf(null, 1L, 2L, null)
            val others = spans.all().filter { it.name != "request" }
            others.mapNotNull { it.attributes[Keys.RESEND_COUNT] }.shouldBeEmpty()
        }

        test("the scope has the version of this build") {
            val spans = Spans()
            val retrier = Retrier.builder(policy).listener(RetryTracing(spans.openTelemetry)).build()
            runBlocking { retrier { 7 } }
            val scope = spans.all().first().instrumentationScopeInfo
            scope.name shouldBe "dev.reprise"
            scope.version!! shouldMatch Regex("[0-9]+\\.[0-9]+.*")
        }

        test("the span of an HTTP call has its method and its host, and their name if it has no other") {
            val spans = Spans()
            val retrier = JavaRetrier.builder().policy(policy).listener(RetryTracing(spans.openTelemetry)).build()
            val client = RetryingHttpClient.around(HttpClient.newHttpClient()).retriers { retrier }.build()

            fun spanOf(method: String): SpanData {
                // Port 1 refuses at once, wherever this runs.
                val request = HttpRequest.newBuilder(URI("http://localhost:1/users/7?secret=8"))
                    .method(method, HttpRequest.BodyPublishers.noBody()).build()
                runCatching { client.send(request, BodyHandlers.ofString()) }
                return spans.all().last { it.name != "attempt" }
            }
            val get = spanOf("GET")
            get.name shouldBe "GET localhost"
            get.attributes[Keys.HTTP_METHOD] shouldBe "GET"
            get.attributes[Keys.SERVER_ADDRESS] shouldBe "localhost"
            spanOf("PURGE").attributes[Keys.HTTP_METHOD] shouldBe "_OTHER"
        }

        test("the metadata for native images names the version's resource") {
            val folder = "src/main/resources/META-INF/native-image/dev.reprise/retry-opentelemetry"
            for (file in listOf("reachability-metadata.json", "resource-config.json")) {
                (Path(folder).resolve(file).readText().contains("dev/reprise/opentelemetry/version.txt")) shouldBe true
            }
        }
    })
