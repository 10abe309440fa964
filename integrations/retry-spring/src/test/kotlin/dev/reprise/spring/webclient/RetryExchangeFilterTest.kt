package dev.reprise.spring.webclient

import dev.reprise.core.Backoff
import dev.reprise.core.BadResultException
import dev.reprise.core.DeadlineException
import dev.reprise.core.NoPermit
import dev.reprise.core.NoPermitException
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.RetryAttributes
import dev.reprise.test.Recorder
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.reactivestreams.Publisher
import org.springframework.core.io.ByteArrayResource
import org.springframework.http.HttpMethod
import org.springframework.http.client.reactive.JdkClientHttpConnector
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.reactive.function.client.ExchangeFilterFunction
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.WebClientRequestException
import org.springframework.web.reactive.function.client.WebClientResponseException
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.netty.http.client.HttpClient
import reactor.netty.http.server.HttpServer
import reactor.netty.http.server.HttpServerResponse
import reactor.netty.resources.ConnectionProvider
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private typealias Reply = HttpServerResponse.() -> Publisher<Void>

/** A server whose first responses are [replies], the last of which repeats. */
private class Service(private vararg val replies: Reply) : AutoCloseable {
    val bodies = CopyOnWriteArrayList<String>()
    private val server = HttpServer.create().port(0).handle { request, response ->
        request.receive().aggregate().asString().defaultIfEmpty("").flatMap { body ->
            bodies += body
            val reply = replies[(bodies.size - 1).coerceAtMost(replies.size - 1)]
            Mono.from(response.reply())
        }
    }.bindNow()
    val url = "http://localhost:${server.port()}/"

    override fun close() = server.disposeNow()
}

private val BUSY: Reply = { status(503).sendString(Mono.just("busy")) }
private val THROTTLED: Reply = { status(429).sendString(Mono.just("slowly")) }
private val FINE: Reply = { sendString(Mono.just("fine")) }

private fun retries(recorder: Recorder, changes: RetryPolicyBuilder.() -> Unit = {}): HttpRetries =
    HttpRetries.builder().listener(recorder).policy(
        RetryPolicy.HTTP.with {
            backoff = Backoff.fixed(5.milliseconds)
            changes()
        },
    ).build()

private fun client(recorder: Recorder = Recorder(), changes: RetryPolicyBuilder.() -> Unit = {}): WebClient =
    WebClient.builder().filter(RetryExchangeFilter(retries(recorder, changes))).build()

private fun WebClient.RequestHeadersSpec<*>.text(): String =
    exchangeToMono { it.bodyToMono(String::class.java).defaultIfEmpty("") }.block(Duration.ofSeconds(20))!!

/** The header by which the response to this request says that it was retried. */
private fun WebClient.RequestHeadersSpec<*>.mark(): String? =
    exchangeToMono { response -> response.releaseBody().thenReturn(response.headers().asHttpHeaders()) }
        .block(Duration.ofSeconds(20))!!.getFirst(SHOULD_RETRY)

class RetryExchangeFilterTest :
    FunSpec({
        test("a GET is repeated after a 503; listeners see the response") {
            Service(BUSY, FINE).use { service ->
                val recorder = Recorder()
                client(recorder).get().uri(service.url).text() shouldBe "fine"
                val failed = recorder.call.events.filterIsInstance<RetryEvent.AttemptFailed>().single()
                (failed.result as WebOutcome).status shouldBe 503
                (failed.result as WebOutcome).body!!.decodeToString() shouldBe "busy"
            }
        }

        test("retrieve() sees the last response, which says that its call gave up") {
            Service(BUSY).use { service ->
                val failure = shouldThrow<WebClientResponseException> {
                    client().get().uri(service.url).retrieve().bodyToMono(String::class.java).block()
                }
                failure.statusCode.value() shouldBe 503
                failure.responseBodyAsString shouldBe "busy"
                failure.headers.getFirst(SHOULD_RETRY) shouldBe "false"
                RetryTrace.of(failure)!!.attempts shouldBe 3
                service.bodies.size shouldBe 3
            }
        }

        test("a Mono with retries around it does not multiply the attempts") {
            Service(BUSY).use { service ->
                val outer = RetryRegistry()["default"].retrier()
                val call = client().get().uri(service.url).retrieve().bodyToMono(String::class.java)
                shouldThrow<WebClientResponseException> { call.retry(outer).block() }
                service.bodies.size shouldBe 3
            }
        }

        test("a response that is not retried carries its trace to Spring's exception") {
            fun detail(service: Service, method: HttpMethod) = service.use {
                val request = client().method(method).uri(it.url)
                RetryTrace.of(shouldThrow<WebClientResponseException> { request.retrieve().toBodilessEntity().block() })
                    ?.detail
            }
            detail(Service({ status(404).send() }), HttpMethod.GET) shouldBe "no rule retries status 404"
            detail(Service(BUSY), HttpMethod.POST) shouldBe "something may have been sent"
        }

        test("a response that no one would retry is not marked") {
            Service({ status(404).send() }).use { service ->
                client().get().uri(service.url)
                    .exchangeToMono { Mono.just(it.headers().asHttpHeaders()) }
                    .block()!!.getFirst(SHOULD_RETRY).shouldBeNull()
                service.bodies.size shouldBe 1
            }
        }

        test("a response that could not have been retried is not marked, and one that comes without a trace is") {
            Service(BUSY).use { service ->
                client().post().uri(service.url).bodyValue("order").mark().shouldBeNull()
                client().get().uri(service.url).attributes(RetryAttributes.NO_RETRY).mark().shouldBeNull()
                client { maxAttempts = 1 }.get().uri(service.url).mark().shouldBeNull()
                ServedRequest(Upstream(2)) { 0 }.open().use { client().get().uri(service.url).mark() }.shouldBeNull()
                service.bodies.size shouldBe 4

                client { trace = false }.get().uri(service.url).mark() shouldBe "false"
                service.bodies.size shouldBe 7
            }
        }

        test("a Mono with retries around a request that is not retried makes its own attempts") {
            Service(BUSY).use { service ->
                val outer = RetryRegistry()["default"].retrier()
                val call = client().get().uri(service.url).attributes(RetryAttributes.NO_RETRY)
                    .retrieve().bodyToMono(String::class.java)
                shouldThrow<WebClientResponseException> { call.retry(outer).block() }
                service.bodies.size shouldBe 3
            }
        }

        test("a POST is sent once, and again if the request says that this does no harm") {
            Service(BUSY, FINE).use { service ->
                client().post().uri(service.url).bodyValue("order").text() shouldBe "busy"
            }
            Service(BUSY, FINE).use { service ->
                client().post().uri(
                    service.url,
                ).attributes(RetryAttributes.IDEMPOTENT).bodyValue("order").text() shouldBe "fine"
                service.bodies shouldContainExactly listOf("order", "order")
            }
            Service(BUSY, FINE).use { service ->
                client().post().uri(service.url).header("Idempotency-Key", "k").bodyValue("order").text() shouldBe
                    "fine"
            }
            Service(BUSY, FINE).use { service ->
                client().get().uri(service.url).attributes(RetryAttributes.NO_RETRY).text() shouldBe "busy"
            }
        }

        test("a body that is one value goes again, a stream only if it is vouched for, and then whole") {
            val stream = Flux.just("or", "der")
            Service(BUSY, FINE).use { service ->
                client().put().uri(service.url).body(Mono.fromCallable { "order" }, String::class.java).text() shouldBe
                    "fine"
                service.bodies shouldContainExactly listOf("order", "order")
            }
            Service(BUSY, FINE).use { service ->
                val recorder = Recorder()
                client(recorder).put().uri(service.url).body(stream, String::class.java).text() shouldBe "busy"
                recorder.call.reason shouldBe StopReason.NOT_REPLAYABLE
            }
            Service(BUSY, FINE).use { service ->
                client().put().uri(service.url).attributes(RetryExchangeFilter.REPEATABLE_BODY)
                    .body(stream, String::class.java).text() shouldBe "fine"
                service.bodies shouldContainExactly listOf("order", "order")
            }
            Service(BUSY, FINE).use { service ->
                client().put().uri(service.url).bodyValue(ByteArrayResource("order".toByteArray())).text() shouldBe
                    "busy"
            }
        }

        test("a POST whose body turns out empty was sent: a refused connection after its redirect does not repeat it") {
            val away: Reply = { status(303).header("Location", "${FaultServer.refused()}").send() }
            val netty = ReactorClientHttpConnector(HttpClient.create().disableRetry(true).followRedirect(true))
            val jdk = JdkClientHttpConnector(
                java.net.http.HttpClient.newBuilder().followRedirects(java.net.http.HttpClient.Redirect.NORMAL).build(),
            )
            for (connector in listOf(netty, jdk)) {
                for (body in listOf(Mono.empty(), Mono.just("order"))) {
                    Service(away).use { service ->
                        val web = client().mutate().clientConnector(connector).build()
                        shouldThrow<WebClientRequestException> {
                            web.post().uri(service.url).body(body, String::class.java).text()
                        }
                        service.bodies.size shouldBe 1
                    }
                }
            }
        }

        test("a rejected response is released before the wait: a pool of one connection is enough") {
            val long = "x".repeat(1 shl 20)
            val pool = ConnectionProvider.builder(
                "one",
            ).maxConnections(1).pendingAcquireTimeout(Duration.ofSeconds(5)).build()
            Service({
                status(503).sendString(Mono.just(long))
            }, { status(503).sendString(Mono.just("short")) }, FINE).use { service ->
                val web = client().mutate().clientConnector(ReactorClientHttpConnector(HttpClient.create(pool))).build()
                web.get().uri(service.url).text() shouldBe "fine"
                web.get().uri(service.url).text() shouldBe "fine"
            }
            pool.dispose()
        }

        test("a server's Retry-After is kept, within the policy's bound") {
            Service({ status(503).header("Retry-After", "1").send() }, FINE).use { service ->
                val recorder = Recorder()
                client(recorder) { honourRetryAfter(2.seconds) }.get().uri(service.url).text() shouldBe "fine"
                recorder.call.delays shouldContainExactly listOf(1.seconds)
            }
            Service({ status(503).header("Retry-After", "60").send() }, FINE).use { service ->
                val recorder = Recorder()
                client(recorder) { honourRetryAfter(2.seconds) }.get().uri(service.url).text() shouldBe ""
                recorder.call.reason shouldBe StopReason.REJECTED
            }
        }

        test("a cancelled subscription ends the wait; no other request is sent") {
            Service(BUSY).use { service ->
                val recorder = Recorder()
                val waits = CountDownLatch(1)
                val ended = CountDownLatch(1)
                val retries = HttpRetries.builder().listener(recorder)
                    .listener {
                        if (it is RetryEvent.RetryScheduled) waits.countDown()
                        if (it is RetryEvent.CallCancelled) ended.countDown()
                    }
                    .policy(RetryPolicy.HTTP.with { backoff = Backoff.fixed(1.hours) }).build()
                val web = WebClient.builder().filter(RetryExchangeFilter(retries)).build()
                val call = web.get().uri(service.url).retrieve().toBodilessEntity().subscribe()
                waits.await(30, TimeUnit.SECONDS) shouldBe true
                call.dispose()
                // The thread that schedules the retry may be the one that sees the cancellation.
                ended.await(30, TimeUnit.SECONDS) shouldBe true
                recorder.call.reason shouldBe StopReason.CANCELLED
                recorder.call.netTokens shouldBe 0
                service.bodies.size shouldBe 1
            }
        }

        test("each host has a quota of its own") {
            Service(BUSY).use { first ->
                Service(BUSY).use { second ->
                    val web = client { quota = TokenBucketSettings.builder().capacity(5).cost(5).build() }
                    for (service in listOf(first, second)) web.get().uri(service.url).text()
                    listOf(first, second).map { it.bodies.size } shouldContainExactly listOf(2, 2)
                    web.get().uri(first.url).text()
                    first.bodies.size shouldBe 3
                }
            }
        }

        test("a body of any length arrives whole, held or not") {
            for (size in listOf(0, 1, (1 shl 20) - 1, 1 shl 20, (1 shl 20) + 1, 5 shl 20)) {
                val part = "0123456789abcdef".repeat(64)
                val text = part.repeat(size / part.length + 1).take(size)
                val chunked: Reply = {
                    header("Content-Type", "text/plain").chunkedTransfer(true)
                        .sendString(Flux.fromIterable(text.chunked(60_000)))
                }
                Service(chunked).use { service ->
                    val web = client().mutate().codecs { it.defaultCodecs().maxInMemorySize(-1) }.build()
                    web.get().uri(service.url).text() shouldBe text
                }
            }
        }

        test("a stream of events is passed on as it comes") {
            val events: Reply = { sse().sendString(Flux.just("data:a\n\n").concatWith(Flux.never())) }
            Service(events).use { service ->
                val first = client { attemptTimeout = 1.seconds }.get().uri(service.url)
                    .retrieve().bodyToFlux(String::class.java).next()
                first.block(Duration.ofSeconds(10)) shouldBe "a"
            }
        }

        test("filters added later see each attempt, those before it the call") {
            Service(BUSY, FINE).use { service ->
                val seen = CopyOnWriteArrayList<String>()
                fun seeing(name: String) = ExchangeFilterFunction { request, next ->
                    seen += name
                    next.exchange(request)
                }
                WebClient.builder().filter(
                    seeing("outside"),
                ).filter(RetryExchangeFilter(quickly())).filter(seeing("inside")).build().get().uri(service.url).text()
                seen shouldContainExactly listOf("outside", "inside", "inside")
            }
        }

        test("two filters of this library are refused, since their attempts would multiply") {
            Service(BUSY, FINE).use { service ->
                val web = WebClient.builder().filter(RetryExchangeFilter()).filter(RetryExchangeFilter()).build()
                shouldThrow<IllegalStateException> { web.get().uri(service.url).text() }
            }
        }

        test(
            "a call that is not sent at all, since it is too late or gets no permit, fails as any request without a response",
        ) {
            Service(THROTTLED).use { service ->
                val once = quickly {
                    maxAttempts = 1
                    sendRate = SendRateSettings { minFillRate(0.01) }
                    onNoPermit = NoPermit.Fail
                }
                val throttled = WebClient.builder().filter(RetryExchangeFilter(once)).build()
                throttled.get().uri(service.url).text() shouldBe "slowly"
                val late = JavaRetrier.builder(RetryPolicy.HTTP).deadlines { Duration.ZERO }.build()
                val ends = listOf(throttled, WebClient.builder().filter(RetryExchangeFilter(late)).build()).map {
                    shouldThrow<WebClientRequestException> { it.get().uri(service.url).text() }
                }

                ends.map { it.cause!!::class } shouldContainExactly
                    listOf(NoPermitException::class, DeadlineException::class)
                ends.map { RetryTrace.of(it)?.attempts } shouldContainExactly listOf(0, 0)
                service.bodies.size shouldBe 1
            }
        }

        test("a policy that throws bad results fails the call, and releases the response") {
            Service(BUSY).use { service ->
                val thrown = shouldThrow<RuntimeException> {
                    client { onBadResult = OnBadResult.THROW }.get().uri(service.url).text()
                }
                thrown.shouldBeInstanceOf<BadResultException>()
                thrown.suppressed.size shouldBeGreaterThan 0
            }
        }
    })
