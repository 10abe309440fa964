@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.Hedge
import dev.reprise.core.NoPermit
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.asNanoClock
import dev.reprise.presets.Presets
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.ranges.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.ClientRequestException
import io.ktor.client.plugins.plugin
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import kotlinx.coroutines.withContext
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private fun unavailable(configure: RetryPluginConfig.() -> Unit) =
    HttpClient(MockEngine { respond("", HttpStatusCode.ServiceUnavailable) }) { install(Retry, configure) }

class SharingTest :
    FunSpec({
        virtual("each host and port has a quota of its own") {
            val client = unavailable { policy = RetryPolicy { maxAttempts = 2 } }
            val retriers = client.plugin(Retry).retriers

            client.get("http://one/")
            client.get("http://one:8080/")
            client.get("https://one/")
            client.get("http://one/")

            listOf("one:80", "one:8080", "one:443").map { retriers[it].quota!!.available } shouldBe
                listOf(472, 486, 486)
        }

        virtual("the retriers of a client have the names of their keys") {
            val told = mutableSetOf<String?>()
            val client = unavailable {
                policy = RetryPolicy.NONE
                listeners += RetryListener { told += it.retrier }
                keyBy { it.url.encodedPathSegments.last() }
            }

            for (key in listOf("users", "orders", "")) client.get("http://one/$key")

            told shouldBe setOf("users", "orders", null)
            "${unavailable { }.plugin(Retry).retriers["one:80"]}" shouldStartWith "Retrier(one:80, "
        }

        virtual("keyBy puts calls together, and no more keys are kept than asked for") {
            val client = unavailable {
                maxKeys = 2
                keyBy { it.url.host.substringAfter('.') }
            }
            val retriers = client.plugin(Retry).retriers

            for (host in listOf("a.one", "b.one", "a.two", "a.three")) client.get("http://$host/")

            retriers.size shouldBe 2
            retriers["three"].quota!!.available shouldBe 500 - 28
        }

        test("each number has its bounds, and a refusal says them") {
            RetryPluginConfig().run {
                maxKeys = 1
                drainBytes = 0
                shouldThrow<IllegalArgumentException> { maxKeys = 0 }.message shouldBe "maxKeys must be at least 1: 0"
                shouldThrow<IllegalArgumentException> { drainBytes = -1 }.message shouldBe
                    "drainBytes must not be negative: -1"
                listOf(maxKeys, drainBytes) shouldBe listOf(1, 0L)
            }
        }

        test("headers for servers and sidecars are as the page says unless they are switched") {
            RetryPluginConfig().run {
                listOf(amzHeaders, numberRetries, meshRetries) shouldBe listOf(false, true, true)
                amzHeaders = true
                numberRetries = false
                meshRetries = false
                listOf(amzHeaders, numberRetries, meshRetries) shouldBe listOf(true, false, false)
            }
        }

        test("requests that bring their own policy pay together from their key's quota, of whatever type") {
            val policies = listOf(RetryPolicy.STANDARD, RetryPolicy.STANDARD_STEADY, RetryPolicy.NONE)
            for (installed in policies) {
                for (brought in listOf(RetryPolicy.STANDARD, RetryPolicy.STANDARD_STEADY)) {
                    runTest {
                        val sent = AtomicInteger()
                        val engine = MockEngine {
                            sent.incrementAndGet()
                            respond("", HttpStatusCode.ServiceUnavailable)
                        }
                        val client = HttpClient(engine) { install(Retry) { policy = installed } }
                        repeat(100) { client.get("http://one/") { retryPolicy(brought) } }

                        // A full quota pays for 35 retries.
                        withClue("$brought on $installed") { sent.get() shouldBeLessThanOrEqualTo 135 }
                        val own = client.plugin(Retry).retriers["one:80"].quota
                        if (own != null) own.available shouldBeLessThan 14
                    }
                }
            }
        }

        test("requests that bring their own policy wait at their key's send rate, and share one where it has none") {
            for (installed in listOf(RetryPolicy.HTTP, Presets.named("adaptive-2.1", null))) {
                runTest {
                    val clock = testTimeSource.asNanoClock()
                    val client = HttpClient(MockEngine { respond("", HttpStatusCode.TooManyRequests) }) {
                        install(Retry) { retriers = RetrierCache(1) { Retrier(installed) { clock(clock) } } }
                    }
                    repeat(2) {
                        client.get("http://one/") { retryPolicy(RetryPolicy.ADAPTIVE_STEADY.with { maxAttempts = 1 }) }
                    }
                    currentTime shouldBeGreaterThan 100
                }
            }
        }

        test("a key's quota in other units is paid in its own: what a request brings neither overspends nor fills it") {
            val ratio = RatioQuotaSettings.FINAGLE
            for ((installed, brought) in listOf(
                ratio to TokenBucketSettings.STANDARD,
                TokenBucketSettings.STANDARD to ratio,
            )) {
                val sent = List(2) { AtomicInteger() }
                for ((isBrought, count) in listOf(false, true) zip sent) {
                    runTest {
                        val engine = MockEngine {
                            count.incrementAndGet()
                            respond("", HttpStatusCode.ServiceUnavailable)
                        }
                        val client = HttpClient(engine) {
                            install(Retry) {
                                retriers = RetrierCache(1) {
                                    Retrier(RetryPolicy.HTTP.with { quota = installed }) { clock { 0 } }
                                }
                            }
                        }
                        repeat(1_000) { client.get("http://one/") { if (isBrought) retryPolicy { quota = brought } } }
                    }
                }
                withClue("$brought on $installed") { sent[1].get() shouldBe sent[0].get() }
            }
        }

        virtual("requests that bring their own hedge share one budget of copies") {
            val sent = AtomicInteger()
            val scheduler = testScheduler
            val client = HttpClient(MockEngine) {
                engine {
                    dispatcher = StandardTestDispatcher(scheduler)
                    addHandler {
                        sent.incrementAndGet()
                        delay(1.seconds)
                        respond("")
                    }
                }
                install(Retry)
            }
            repeat(10) {
                client.get("http://one/") { retryPolicy { hedge = Hedge.after(10.milliseconds, maxExtraLoad = 0.5) } }
            }
            sent.get() shouldBeIn 12..15

            // Also if requests with another hedge come between.
            sent.set(0)
            repeat(20) {
                val share = if (it % 2 == 0) 0.5 else 0.4
                client.get("http://one/") { retryPolicy { hedge = Hedge.after(10.milliseconds, maxExtraLoad = share) } }
            }
            sent.get() shouldBeIn 25..30
        }

        virtual("two clients may share quotas") {
            val shared = RetrierCache<String, Retrier>(16) { Retrier() }
            val clients = List(2) { unavailable { retriers = shared } }

            for (client in clients) client.get("http://one/")

            shared["one:80"].quota!!.available shouldBe 500 - 4 * 14
        }

        virtual("two clients may share a send rate: what one is refused slows the other down too") {
            val throttled = MockClient(
                this,
                Presets.named("adaptive-2.1", null).with { maxAttempts = 1 },
                handler = answering(429),
            )
            val other = HttpClient(MockEngine { respond("") }) {
                install(Retry) { retriers = RetrierCache(1) { throttled.retrier } }
            }

            repeat(3) { throttled.http.get("http://localhost/") }
            val before = currentTime
            repeat(3) { other.get("http://localhost/") }

            currentTime - before shouldBeGreaterThan 1_000
        }

        test("shared retriers bring their own policy") {
            shouldThrow<IllegalArgumentException> {
                unavailable {
                    retriers = RetrierCache(1) { Retrier() }
                    policy = RetryPolicy.NONE
                }
            }.message shouldContain "set either retriers, or policy and listeners"
        }

        virtual("adaptive mode slows the client down to what the server takes") {
            val policy = Presets.named("adaptive-2.1", null).with { maxAttempts = 1 }
            val client = MockClient(this, policy, handler = answering(429, 429, 429, 200))

            repeat(10) { client.http.get("http://localhost/") }

            currentTime shouldBeGreaterThan 1_000
            client.retrier.sendRate!!.isOn shouldBe true
        }

        virtual("a retry that gets no send permit ends with the last response, whose body is gone") {
            val policy = Presets.named("adaptive-2.1", null).with { onNoPermit = NoPermit.Fail }
            val client = MockClient(this, policy, handler = status(429, "slow down"))

            val responses = List(5) { runCatching { client.http.get("http://localhost/") } }

            val refused = responses.mapNotNull { it.getOrNull() }.first {
                it.retryReport.reason ==
                    StopReason.RATE_LIMITED
            }
            refused.status.value shouldBe 429
            refused.bodyAsText() shouldBe ""
        }

        virtual("a retry that gets no send permit ends with expectSuccess as the last response's exception") {
            val policy = Presets.named("adaptive-2.1", null).with { onNoPermit = NoPermit.Fail }
            val client = MockClient(this, policy, handler = status(429, "slow down"), before = { expectSuccess = true })

            val failures = List(5) { runCatching { client.http.get("http://localhost/") }.exceptionOrNull()!! }

            val refused = failures.filterIsInstance<ClientRequestException>()
                .first { RetryTrace.of(it)!!.reason == StopReason.RATE_LIMITED }
            refused.response.bodyAsText() shouldBe ""
        }

        test("10,000 calls at once through one client all end well, and leave nothing behind") {
            val failed = AtomicInteger()
            val engine = MockEngine { request ->
                val call = request.url.parameters["call"]!!.toInt()
                val isFirst = request.headers["X-Attempt"] == "1"
                if (isFirst && call % 50 == 0) {
                    failed.incrementAndGet()
                    respond("", HttpStatusCode.ServiceUnavailable)
                } else {
                    respond("$call")
                }
            }
            HttpClient(engine) {
                install(Retry) {
                    policy = RetryPolicy {
                        quota = null
                        backoff = Backoff.fixed(Duration.ZERO)
                    }
                    attemptHeader = "X-Attempt"
                }
            }.use { client ->
                withContext(Dispatchers.Default) {
                    List(10_000) { call ->
                        async { client.get("http://localhost/?call=$call").bodyAsText() shouldBe "$call" }
                    }.awaitAll()
                }
                failed.get() shouldBe 200
                // A call's job ends on the thread of its engine, a little after its caller has the body.
                eventually(30.seconds) { client.coroutineContext.job.children.toList() shouldHaveSize 0 }
            }
        }
    })
