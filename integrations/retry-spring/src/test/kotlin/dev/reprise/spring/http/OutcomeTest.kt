package dev.reprise.spring.http

import dev.reprise.build.httpDate
import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.SpringErrors
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientResponseException
import java.net.URI
import java.time.Duration
import java.util.function.Consumer

/** The ways in: what the caller has of a GET to an address. */
private val FACES = mapOf<String, (HttpRetries) -> (URI) -> String?>(
    "RestClient" to { retries ->
        val factory = RetryingRequestFactory(JdkClientHttpRequestFactory(), retries)
        val client = RestClient.builder().requestFactory(factory).build();
        { client.get().uri(it).retrieve().body(String::class.java) }
    },
    "WebClient" to { retries ->
        val client = WebClient.builder().filter(RetryExchangeFilter(retries)).build();
        { client.get().uri(it).retrieve().bodyToMono(String::class.java).block() }
    },
)

private const val THROTTLED = """{"__type": "ThrottlingException", "message": "Rate exceeded"}"""

/** A response as classifiers and listeners see it, on both clients and in Spring's exceptions. */
class OutcomeTest :
    FunSpec({
        /** Calls a server of [replies], and returns the outcomes that the classifiers saw. */
        fun outcomes(make: (HttpRetries) -> (URI) -> String?, vararg replies: Reply): List<HttpOutcome> {
            val seen = mutableListOf<HttpOutcome>()
            val policy = RetryPolicy.HTTP.with {
                noBackoff()
                noQuota()
                onResult {
                    seen += it as HttpOutcome
                    null
                }
            }
            FaultServer { number, _ -> replies[minOf(number, replies.size - 1)] }.use { server ->
                runCatching { make(HttpRetries.builder().policy(policy).build())(server.uri()) }
                server.requests().size shouldBe seen.size
            }
            return seen
        }

        for ((face, make) in FACES) {
            test(
                "$face: code and message of a failure decide, and a good response says none whatever its body looks like",
            ) {
                val seen = outcomes(make, Replies.status(400, THROTTLED), Replies.status(200, THROTTLED))
                seen.map { it.errorCode } shouldBe listOf("ThrottlingException", null)
                seen.map { it.errorMessage } shouldBe listOf("Rate exceeded", null)
                seen.map { it.body?.decodeToString() } shouldBe listOf(THROTTLED, THROTTLED)
                seen.map { "$it" } shouldBe listOf("HTTP 400 ThrottlingException", "HTTP 200")
            }

            test("$face: a code in a header goes before one in the body") {
                val failure = Replies.status(400, THROTTLED, "x-amzn-errortype: SlowDown:http://aws/")
                outcomes(make, failure, Replies.status(200, "there")).first().errorCode shouldBe "SlowDown"
            }

            test("$face: a Retry-After that is a date counts from the server's, or from the response's arrival") {
                val there = Replies.status(200, "there")
                val soon = Duration.ofMinutes(-1)
                val late = Duration.ofMinutes(10)
                val ahead = Duration.ofHours(5)
                val cases = listOf(
                    listOf("Retry-After: ${httpDate(late)}") to 1,
                    listOf("Retry-After: ${httpDate(soon)}") to 2,
                    listOf("Date: ${httpDate(ahead)}", "Retry-After: ${httpDate(ahead)}") to 2,
                    listOf("Date: ${httpDate(ahead)}", "Retry-After: ${httpDate(ahead + late)}") to 1,
                )
                for ((headers, attempts) in cases) {
                    withClue(headers) {
                        outcomes(make, Replies.status(503, "", *headers.toTypedArray()), there).size shouldBe attempts
                    }
                }
            }
        }

        test("Spring's exceptions say what their responses said") {
            val headers = HttpHeaders().apply { set("Retry-After", httpDate(Duration.ofMinutes(10))) }
            val body = THROTTLED.toByteArray()
            for (failure in listOf(
                RestClientResponseException("", 400, "", headers, body, null),
                WebClientResponseException.create(400, "", headers, body, null),
            )) {
                val outcome = SpringErrors.responseOf(failure).shouldNotBeNull()
                outcome.status shouldBe 400
                outcome.errorCode shouldBe "ThrottlingException"
                outcome.errorMessage shouldBe "Rate exceeded"
                outcome.toString() shouldBe "HTTP 400 ThrottlingException"
                // More than the policy waits for.
                val policy = SpringErrors.addedTo(RetryPolicy.HTTP.with { noBackoff() })
                var calls = 0
                shouldThrow<Exception> {
                    JavaRetrier.of(policy).call<Any?, Exception> {
                        calls++
                        throw failure
                    }
                }
                calls shouldBe 1
            }
        }

        test("a refused connection proves that nothing was sent if no redirect is followed, or the body is watched") {
            fun repeat(followsRedirects: Boolean, seesOpening: Boolean, method: HttpMethod = HttpMethod.POST) =
                HttpRetries.builder().followsRedirects(followsRedirects).build()
                    .callOf(method, URI("http://one/"), HttpHeaders(), emptyMap(), isOneShot = false, seesOpening)
                    .options.repeat
            repeat(followsRedirects = true, seesOpening = false) shouldBe Repeat.NEVER
            repeat(followsRedirects = true, seesOpening = true) shouldBe Repeat.IF_UNSENT
            repeat(followsRedirects = false, seesOpening = false) shouldBe Repeat.IF_UNSENT
            repeat(followsRedirects = true, seesOpening = false, HttpMethod.PUT) shouldBe Repeat.SAFE
        }

        test("each host has a retrier of its own, also one whose name has an underscore") {
            val registry = RetryRegistry()
            val retries = HttpRetries.of(registry, RetryRegistry.HTTP)
            for (place in listOf(
                "orders",
                "or_ders:8080",
                "me@pay_ments:8080",
                "pay_ments",
                "or_ders:8080",
                "[::1]:81",
            )) {
                retries.callOf(HttpMethod.GET, URI("http://$place/path"), HttpHeaders(), emptyMap())
            }
            registry.hosts(RetryRegistry.HTTP).keys shouldBe
                setOf("orders:80", "or_ders:8080", "pay_ments:8080", "pay_ments:80", "[::1]:81")
            Hosts.nameOf(URI("http://me@or_ders:8080/path")) shouldBe "or_ders"
            Hosts.nameOf(URI("http://or_ders")) shouldBe "or_ders"
            Hosts.nameOf(URI("/path")) shouldBe null
        }

        test("a request's own settings are attributes") {
            fun repeatOf(attributes: Consumer<MutableMap<String, Any>>) =
                (mutableMapOf<String, Any>().also(attributes::accept)[RetryAttributes.NAME] as CallOptions).repeat
            repeatOf(RetryAttributes.IDEMPOTENT) shouldBe Repeat.SAFE
            repeatOf(RetryAttributes.NO_RETRY) shouldBe Repeat.NEVER
        }

        test("good bodies are read ahead if they are short, or of a kind that is no stream; failures always") {
            fun read(status: Int = 200, limit: Int = 1_000, type: String? = null, length: Long = -1): Int =
                HeldBytes.of(
                    HttpHeaders().apply {
                        type?.let { set("Content-Type", it) }
                        if (length >= 0) contentLength = length
                    },
                    status,
                    limit,
                )
            read(length = 1_000) shouldBe 1_000
            read(length = 1_001) shouldBe 0
            read(length = 1_000, type = "video/mp4") shouldBe 1_000
            read(length = 1_000, type = "text/event-stream") shouldBe 0
            for (held in listOf(
                null,
                "text/plain",
                "application/json",
                "application/problem+json",
                "text/xml",
                "no type",
            )) {
                withClue(held) { read(type = held) shouldBe 1_000 }
            }
            for (left in listOf("text/event-stream", "application/x-ndjson", "application/stream+json", "video/mp4")) {
                withClue(left) { read(type = left) shouldBe 0 }
            }
            read(limit = 0) shouldBe 0
            read(status = 299, limit = 0) shouldBe 0
            for (status in listOf(300, 503)) {
                read(status, limit = 0, type = "video/mp4") shouldBe 64 * 1024
                read(status, limit = 1_000_000, length = 5) shouldBe 1_000_000
            }
        }

        test("a number of bytes is not negative") {
            HttpRetries.builder().heldBytes(0)
            shouldThrow<IllegalArgumentException> { HttpRetries.builder().heldBytes(-1) }.message shouldBe
                "heldBytes must not be negative: -1"
        }

        test(
            "retriers, and those of a registry, bring their own policy and listeners: others would never be asked or told",
        ) {
            val retriers = listOf<HttpRetriesBuilder.() -> Unit>(
                { retriers { _, _ -> JavaRetrier.of(RetryPolicy.HTTP) } },
                { registry(RetryRegistry(), RetryRegistry.HTTP) },
            )
            val others = listOf<HttpRetriesBuilder.() -> Unit>({ listener { } }, { policy(RetryPolicy.NONE) })
            for (brought in retriers) {
                for (other in others) {
                    val builder = HttpRetries.builder().apply(brought).apply(other)
                    shouldThrow<IllegalArgumentException> { builder.build() }.message shouldContain
                        "set either retriers or a registry, or policy and listeners"
                }
            }
        }
    })
