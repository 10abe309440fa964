package dev.reprise.spring.http

import dev.reprise.core.Backoff
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.springframework.core.io.InputStreamResource
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.BufferingClientHttpRequestFactory
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.http.client.ReactorClientHttpRequestFactory
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.client.HttpClientErrorException
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.client.ResourceAccessException
import org.springframework.web.client.RestClient
import org.springframework.web.client.RestClientException
import org.springframework.web.client.RestClientResponseException
import org.springframework.web.client.RestTemplate
import reactor.netty.http.client.HttpClient
import java.net.SocketTimeoutException
import java.net.URI
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds

private val POLICY = RetryPolicy.HTTP.with {
    noBackoff()
    noQuota()
}

private val JDK = JdkClientHttpRequestFactory()

/** The ways in: a client that retries as its retries say, over a factory. */
private val FACES: Map<String, (HttpRetries, ClientHttpRequestFactory) -> RestClient> =
    mapOf(
        "interceptor" to { retries, below ->
            RestClient.builder().requestFactory(below).requestInterceptor(RetryInterceptor(retries)).build()
        },
        "request factory" to { retries, below ->
            RestClient.builder().requestFactory(RetryingRequestFactory(below, retries)).build()
        },
        "RestTemplate" to { retries, below ->
            RestClient.create(RestTemplate(below).apply { interceptors.add(RetryInterceptor(retries)) })
        },
    )

private fun retries(change: HttpRetriesBuilder.() -> Unit = {}) =
    HttpRetries.builder().policy(POLICY).apply(change).build()

private fun RestClient.got(server: FaultServer) = get().uri(server.uri()).retrieve().toBodilessEntity()

/** The header by which the response to this request, a 503, says that it was retried. */
private fun RestClient.RequestHeadersSpec<*>.markOf503(): String? =
    shouldThrow<HttpServerErrorException.ServiceUnavailable> { retrieve().toBodilessEntity() }
        .responseHeaders?.getFirst("x-should-retry")

class RestTest :
    FunSpec({
        for ((face, make) in FACES) {
            val client = make(retries(), JDK)

            test("$face: a PUT with a body is sent again whole, a POST is sent once") {
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    client.put().uri(server.uri()).body("text").retrieve().body(String::class.java) shouldBe Fault.BODY
                    server.bodies() shouldContainExactly listOf("text", "text")
                }
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    shouldThrow<HttpServerErrorException.ServiceUnavailable> {
                        client.post().uri(server.uri()).body("text").retrieve().toBodilessEntity()
                    }
                    server.bodies() shouldContainExactly listOf("text")
                }
            }

            test("$face: a failure whose body breaks off is that failure, also if a factory below buffers bodies") {
                FaultServer(Replies.cutAfter(404, "no su")).use { server ->
                    for (below in listOf(JDK, BufferingClientHttpRequestFactory(JDK))) {
                        shouldThrow<HttpClientErrorException.NotFound> { make(retries(), below).got(server) }
                    }
                    server.served() shouldBe 2
                }
            }

            test("$face: a POST with a key, or marked as idempotent, is repeated; a GET that says no is not") {
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    client.post().uri(
                        server.uri(),
                    ).header("Idempotency-Key", "7").body("a").retrieve().toBodilessEntity()
                    server.bodies() shouldContainExactly listOf("a", "a")
                }
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    client.post().uri(server.uri()).attributes(RetryAttributes.IDEMPOTENT).body("a").retrieve()
                        .toBodilessEntity()
                    server.bodies() shouldContainExactly listOf("a", "a")
                }
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    shouldThrow<HttpServerErrorException> {
                        client.get().uri(
                            server.uri(),
                        ).attributes(RetryAttributes.NO_RETRY).retrieve().toBodilessEntity()
                    }
                    server.served() shouldBe 1
                }
            }

            test("$face: the response on which a call gave up says x-should-retry: false, a rejected one does not") {
                FaultServer(Fault.UNAVAILABLE).use { server ->
                    val thrown = shouldThrow<HttpServerErrorException> { client.got(server) }
                    thrown.responseHeaders?.getFirst("x-should-retry") shouldBe "false"
                    thrown.responseBodyAsString shouldBe Fault.BODY
                    RetryTrace.of(thrown)!!.attempts shouldBe 3
                    RetryTrace.of(IllegalStateException(thrown))!!.reason shouldBe StopReason.ATTEMPTS
                    server.served() shouldBe 3
                }
                FaultServer(Replies.status(404, "gone")).use { server ->
                    val thrown = shouldThrow<HttpClientErrorException.NotFound> { client.got(server) }
                    thrown.responseHeaders?.getFirst("x-should-retry") shouldBe null
                    server.served() shouldBe 1
                }
            }

            test(
                "$face: a response that could not have been retried is not marked, and one that comes without a trace is",
            ) {
                val single = make(retries { policy(POLICY.with { maxAttempts = 1 }) }, JDK)
                FaultServer(Fault.UNAVAILABLE).use { server ->
                    client.post().uri(server.uri()).body("a").markOf503() shouldBe null
                    client.get().uri(server.uri()).attributes(RetryAttributes.NO_RETRY).markOf503() shouldBe null
                    single.get().uri(server.uri()).markOf503() shouldBe null
                    ServedRequest(Upstream(2)) { 0 }.open().use { client.get().uri(server.uri()).markOf503() } shouldBe
                        null
                    server.served() shouldBe 4

                    val untraced = make(retries { policy(POLICY.with { trace = false }) }, JDK)
                    untraced.get().uri(server.uri()).markOf503() shouldBe "false"
                    server.served() shouldBe 7
                }
            }

            test("$face: a response that is not retried carries its trace to Spring's exception, and no mark") {
                fun detail(reply: Reply, method: HttpMethod): String? = FaultServer(reply).use { server ->
                    val thrown = shouldThrow<RestClientResponseException> {
                        client.method(method).uri(server.uri()).retrieve().toBodilessEntity()
                    }
                    thrown.responseHeaders!!.getFirst("Content-Length") shouldBe "4"
                    thrown.responseHeaders!!.getFirst("x-should-retry") shouldBe null
                    RetryTrace.of(thrown)?.detail
                }
                detail(Replies.status(404, "gone"), HttpMethod.GET) shouldBe "no rule retries status 404"
                detail(Replies.status(503, "busy"), HttpMethod.POST) shouldBe "something may have been sent"
                detail(Replies.status(503, "busy", "Retry-After: 86400"), HttpMethod.GET) shouldBe
                    "the server asks for a longer wait than the policy follows"
            }

            test("$face: a method with @Retry around a request that is not retried makes its own attempts") {
                val outer = RetryRegistry(mapOf("outer" to POLICY))["outer"]
                FaultServer(Fault.UNAVAILABLE).use { server ->
                    val thrown = shouldThrow<HttpServerErrorException> {
                        outer.call<Any?, Exception> {
                            client.get().uri(server.uri()).attributes(RetryAttributes.NO_RETRY).retrieve()
                                .toBodilessEntity()
                        }
                    }
                    RetryTrace.of(thrown)?.reason shouldBe StopReason.ATTEMPTS
                    server.served() shouldBe 3
                }
            }

            test("$face: a method with @Retry around it does not multiply the attempts") {
                val outer = RetryRegistry(mapOf("outer" to POLICY))["outer"]
                FaultServer(Fault.UNAVAILABLE).use { server ->
                    val thrown =
                        shouldThrow<HttpServerErrorException> { outer.call<Any?, Exception> { client.got(server) } }
                    server.served() shouldBe 3
                    thrown.suppressed.map { (it as RetryTrace).attempts } shouldContainExactly listOf(3, 1)
                }
                var outerAttempts = 0
                shouldThrow<ResourceAccessException> {
                    outer.call<Any?, Exception> {
                        outerAttempts++
                        client.get().uri(FaultServer.refused()).retrieve().toBodilessEntity()
                    }
                }
                outerAttempts shouldBe 1
            }

            test("$face: a refused connection is told as Spring tells it, with a trace") {
                val thrown = shouldThrow<ResourceAccessException> {
                    client.get().uri(FaultServer.refused()).retrieve().toBodilessEntity()
                }

                RetryTrace.of(thrown).shouldNotBeNull().attempts shouldBe 3
            }

            test("$face: a rejected response is closed before the wait, and its connection used again") {
                FaultServer(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    client.get().uri(server.uri()).retrieve().body(String::class.java) shouldBe Fault.BODY
                    server.connections() shouldBe 1
                }
            }

            test("$face: Retry-After is followed") {
                val waits = mutableListOf<Long>()
                val listener = RetryListener {
                    if (it is RetryEvent.RetryScheduled) {
                        waits +=
                            it.delay.inWholeMilliseconds
                    }
                }
                FaultServer(Replies.status(429, "", "Retry-After: 1"), Fault.NONE).use { server ->
                    make(retries { listener(listener) }, JDK).got(server)
                }
                waits shouldContainExactly listOf(1000L)
            }

            test("$face: listeners see responses and are told method and host") {
                val events = mutableListOf<RetryEvent>()
                FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                    make(retries { listener { events += it } }, JDK).got(server)
                }
                events.filterIsInstance<RetryEvent.CallStarted>().single().operation shouldBe "GET 127.0.0.1"
                val failed = events.filterIsInstance<RetryEvent.AttemptFailed>().single()
                failed.result.shouldBeInstanceOf<HttpOutcome>().status shouldBe 503
            }
        }

        test("the request factory streams, and sends a body that can be read once once") {
            val client = FACES.getValue("request factory")(retries(), JDK)
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                shouldThrow<HttpServerErrorException> {
                    client.put().uri(server.uri()).body(InputStreamResource("once".byteInputStream())).retrieve()
                        .toBodilessEntity()
                }
                server.bodies() shouldContainExactly listOf("once")
            }
        }

        test("HttpURLConnection takes a body that is cut for a whole one; here it is retried") {
            val client = FACES.getValue("interceptor")(retries(), SimpleClientHttpRequestFactory())
            FaultServer(Fault.CUT_BODY, Fault.NONE).use { server ->
                client.get().uri(server.uri()).retrieve().body(String::class.java) shouldBe Fault.BODY
                server.served() shouldBe 2
            }
        }

        test("a response that has no body is whole, whatever length it says") {
            val client = FACES.getValue("interceptor")(retries(), SimpleClientHttpRequestFactory())
            for ((method, status) in listOf(
                HttpMethod.DELETE to 204,
                HttpMethod.GET to 204,
                HttpMethod.GET to 304,
                HttpMethod.HEAD to 200,
            )) {
                FaultServer(Replies.raw("HTTP/1.1 $status -\r\nContent-Length: 10\r\n\r\n", false)).use { server ->
                    client.method(method).uri(server.uri()).retrieve().toBodilessEntity().statusCode.value() shouldBe
                        status
                    server.served() shouldBe 1
                }
            }
        }

        for (length in listOf("abc", "1, 1", "-7", "99999999999999999999")) {
            test("HttpURLConnection takes $length for a Content-Length; the response counts all the same") {
                fun reply(status: Int) = Replies.raw("HTTP/1.1 $status -\r\nContent-Length: $length\r\n\r\nbody", false)
                val client = FACES.getValue("interceptor")(retries(), SimpleClientHttpRequestFactory())
                FaultServer(reply(503), reply(200)).use { server ->
                    client.get().uri(server.uri()).exchange { _, response ->
                        response.statusCode.value() to response.body.readAllBytes().decodeToString()
                    } shouldBe (200 to "body")
                    server.served() shouldBe 2
                }
            }
        }

        test("an attempt that takes too long is a SocketTimeoutException, inside Spring's own") {
            val slow = POLICY.with {
                attemptTimeout = 50.milliseconds
                maxAttempts = 2
            }
            FaultServer(Fault.SLOW_HEAD).use { server ->
                val thrown = shouldThrow<ResourceAccessException> {
                    FACES.getValue("interceptor")(HttpRetries.builder().policy(slow).build(), JDK).got(server)
                }
                thrown.cause.shouldBeInstanceOf<SocketTimeoutException>()
                // On a busy machine an attempt may be over before the server has seen it.
                RetryTrace.of(thrown)!!.attempts shouldBe 2
            }
        }

        for (fault in listOf(Fault.STALLED_BODY, Fault.STALLED_FAILURE)) {
            test("$fault: an attempt whose body stalls takes no longer than it may, and the next one follows") {
                val slow = POLICY.with {
                    attemptTimeout = 300.milliseconds
                    maxAttempts = 2
                }
                val attempts = AtomicInteger()
                val counting = RetryListener { if (it is RetryEvent.AttemptStarted) attempts.incrementAndGet() }
                FaultServer(fault).use { server ->
                    val retries = HttpRetries.builder().policy(slow).listener(counting).build()
                    val client = FACES.getValue("request factory")(retries, JDK)
                    shouldThrow<RestClientException> {
                        client.get().uri(server.uri()).retrieve().body(String::class.java)
                    }
                    // On a busy machine an attempt may be over before the server has seen it.
                    attempts.get() shouldBe 2
                }
            }
        }

        test("an interrupt ends the call at once, and the flag stays") {
            val waiting = POLICY.with { backoff = Backoff.fixed(java.time.Duration.ofHours(1)) }
            FaultServer(Fault.UNAVAILABLE).use { server ->
                val caller = Thread.currentThread()
                val listener = RetryListener { if (it is RetryEvent.RetryScheduled) caller.interrupt() }
                val retries = HttpRetries.builder().policy(waiting).listener(listener).build()
                shouldThrow<ResourceAccessException> { FACES.getValue("interceptor")(retries, JDK).got(server) }
                Thread.interrupted() shouldBe true
                server.served() shouldBe 1
            }
        }

        test("interceptors further in run for each attempt, with the caller's headers once") {
            val seen = mutableListOf<List<String>?>()
            val client = RestClient.builder().requestFactory(JDK)
                .requestInterceptor(RetryInterceptor(retries()))
                .requestInterceptor { request, body, execution ->
                    request.headers.add("X-Step", "inner")
                    seen += request.headers["X-Step"]
                    execution.execute(request, body)
                }.build()
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server -> client.got(server) }
            seen shouldContainExactly listOf(listOf("inner"), listOf("inner"))
        }

        test("two interceptors would multiply the attempts, and are refused") {
            val client = RestClient.builder().requestFactory(JDK)
                .requestInterceptor(RetryInterceptor()).requestInterceptor(RetryInterceptor()).build()
            FaultServer(Fault.NONE).use { server ->
                shouldThrow<IllegalStateException> { client.got(server) }.message shouldContain "remove one"
            }
        }

        test("each host has a retrier of its own, and an update of the registry reaches it") {
            val registry = RetryRegistry(mapOf("orders" to POLICY))
            val client = FACES.getValue("interceptor")(HttpRetries.of(registry, "orders"), JDK)
            FaultServer(Fault.UNAVAILABLE).use { server ->
                repeat(2) {
                    shouldThrow<HttpServerErrorException> { client.got(server) }
                    registry.update(mapOf("orders" to POLICY.with { maxAttempts = 1 }))
                }
                server.served() shouldBe 4
                registry.hosts("orders").keys shouldContainExactly setOf("127.0.0.1:${server.uri().port}")
            }
        }

        test("the retrier of a host is called by host and port") {
            val uri = URI("https://example.com/7")
            val call = HttpRetries.standard().callOf(HttpMethod.GET, uri, HttpHeaders(), emptyMap())
            call.retrier.retrier().name shouldBe "example.com:443"
        }

        test("Netty: a redirect to nowhere is followed once") {
            val netty = ReactorClientHttpRequestFactory(HttpClient.create().disableRetry(true).followRedirect(true))
            for (nowhere in listOf("ftp://127.0.0.1/", "http://[bad/ x", "/a b%zz")) {
                FaultServer(Replies.status(302, "", "Location: $nowhere")).use { server ->
                    withClue(nowhere) {
                        shouldThrow<Exception> { Face.INTERCEPTOR.over(netty, retries()).got(server) }
                        server.served() shouldBe 1
                    }
                }
            }
        }

        test("a POST is repeated after a refused connection where no redirects are followed") {
            var attempts = 0
            val retries = retries {
                followsRedirects(false)
                listener { if (it is RetryEvent.AttemptStarted) attempts++ }
            }
            shouldThrow<ResourceAccessException> {
                FACES.getValue("interceptor")(retries, JDK).method(HttpMethod.POST).uri(FaultServer.refused()).body("a")
                    .retrieve().toBodilessEntity()
            }
            attempts shouldBe 3
        }

        test("one retrier serves all hosts if it is given") {
            val retrier = JavaRetrier.of(POLICY.with { maxAttempts = 2 })
            val client = RestClient.builder().requestFactory(JDK).requestInterceptor(RetryInterceptor(retrier)).build()
            FaultServer(Fault.UNAVAILABLE).use { server ->
                shouldThrow<HttpServerErrorException> { client.got(server) }
                server.served() shouldBe 2
            }
        }

        test("a response tells how it came about; one that was not retried is a first try") {
            val retried = RestTemplate(JDK).apply { interceptors.add(RetryInterceptor(retries())) }
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                val report = retried.execute(server.uri(), HttpMethod.GET, null) { RetryInterceptor.reportOf(it) }
                report!!.attempts shouldBe 2
                report.reason shouldBe StopReason.SUCCESS
            }
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                val request = RetryingRequestFactory(JDK, retries()).createRequest(server.uri(), HttpMethod.GET)
                request.execute().use { RetryInterceptor.reportOf(it).attempts shouldBe 2 }
            }
            FaultServer(Fault.NONE).use { server ->
                val request = JDK.createRequest(server.uri(), HttpMethod.GET)
                request.execute().use { RetryInterceptor.reportOf(it).attempts shouldBe 1 }
            }
        }
    })
