package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import io.ktor.client.engine.HttpClientEngineCapability
import io.ktor.client.plugins.HttpSend
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.plugin
import io.ktor.client.plugins.timeout
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.get
import io.ktor.client.request.prepareGet
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText
import io.ktor.util.AttributeKey
import io.ktor.utils.io.ByteReadChannel
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private val CAPABILITIES = AttributeKey<MutableMap<HttpClientEngineCapability<*>, Any>>("EngineCapabilities")
private val HEDGED = RetryPolicy.HTTP.with {
    hedge = Hedge.after(50.milliseconds, maxExtraLoad = 1.0)
    backoff = Backoff.IMMEDIATE
}

/** What of hedging is Ktor's own. What all HTTP clients have in common stands in checks/retry-conformance. */
class HedgeTest :
    FunSpec({
        /** The first request is never answered. */
        fun overtaken() = scripted({ awaitCancellation() }, status(200, "copy"))

        val late: Handler = { request ->
            delay(200.milliseconds)
            status(200).invoke(this, request)
        }

        virtual("the two executions share no request: neither headers, nor attributes, nor settings, nor the job") {
            val sent = mutableListOf<HttpRequestBuilder>()
            val client = MockClient(this, HEDGED, after = { install(HttpTimeout) }, handler = overtaken()).http
            client.plugin(HttpSend).intercept { request ->
                sent += request
                request.headers["X-Execution"] = "${sent.size}"
                execute(request)
            }
            val response = client.get("http://service.test/") {
                timeout { requestTimeoutMillis = 60_000 }
                sent += this
            }
            response.bodyAsText() shouldBe "copy"
            sent.size shouldBe 3
            for ((a, b) in listOf(0 to 1, 0 to 2, 1 to 2)) {
                sent[a] shouldNotBeSameInstanceAs sent[b]
                sent[a].executionContext shouldNotBeSameInstanceAs sent[b].executionContext
                if (a > 0) sent[a].attributes[CAPABILITIES] shouldNotBeSameInstanceAs sent[b].attributes[CAPABILITIES]
            }
            sent.map { it.headers.getAll("X-Execution") } shouldBe listOf(null, listOf("2"), listOf("3"))
        }

        virtual("a body that can be read once gets no copy, nor does a response that is streamed") {
            val client = MockClient(this, HEDGED, handler = late)
            client.http.put("http://service.test/") { setBody(ByteReadChannel("once")) }
            client.http.prepareGet("http://service.test/").execute { it.status.value shouldBe 200 }
            client.requests.size shouldBe 2
            client.http.get("http://service.test/")
            client.requests.size shouldBe 4
        }

        virtual("a request that is not to be retried gets no copy either, whatever other settings it has") {
            val client = MockClient(this, HEDGED, handler = late)
            client.http.get("http://service.test/") { noRetry() }
            client.http.get("http://service.test/") {
                noRetry()
                retryPolicy(HEDGED)
            }
            client.requests.size shouldBe 2
        }

        virtual("the report counts the copy as a request and not as an attempt; hooks see its number") {
            val numbers = mutableListOf<Pair<Int, Boolean>>()
            val client = MockClient(
                this,
                HEDGED,
                configure = { eachAttempt { numbers += it.number to it.isCopy } },
                handler = overtaken(),
            ).http
            val report = client.get("http://service.test/").retryReport
            report.attempts shouldBe 1
            report.requests shouldBe 2
            numbers shouldBe listOf(1 to false, 2 to true)
        }

        virtual(
            "a request with a policy of its own shares what the client has learnt for copies, if the hedge is equal",
        ) {
            var takes = 10.milliseconds
            val client = MockClient(this, RetryPolicy.HTTP.with { hedge = Hedge() }, handler = { request ->
                delay(takes)
                status(200).invoke(this, request)
            })
            repeat(100) { client.http.get("http://service.test/") }
            takes = 1.seconds
            client.http.get("http://service.test/") { retryPolicy { maxAttempts = 4 } }
            client.events.filterIsInstance<RetryEvent.HedgeStarted>().size shouldBe 1
        }

        virtual("HttpSend must allow one request more than there are attempts") {
            shouldThrow<IllegalArgumentException> {
                MockClient(this, HEDGED.with { maxAttempts = 20 }, handler = answering(200)).http.get("http://a.test/")
            }.message shouldContain "policy.maxAttempts must be at most 19"
        }
    })
