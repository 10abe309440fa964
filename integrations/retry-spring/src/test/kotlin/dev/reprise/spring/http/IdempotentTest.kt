package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.bind.annotation.RequestAttribute
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.RequestHeader
import org.springframework.web.client.RestClient
import org.springframework.web.client.support.RestClientAdapter
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.support.WebClientAdapter
import org.springframework.web.service.annotation.PostExchange
import org.springframework.web.service.invoker.HttpExchangeAdapter
import org.springframework.web.service.invoker.HttpServiceProxyFactory
import java.net.URI
import kotlin.time.Duration.Companion.minutes

interface Posts {
    @PostExchange
    fun plain(@RequestBody text: String): String

    @Idempotent
    @PostExchange
    fun marked(@RequestBody text: String): String

    @PostExchange
    fun given(@RequestBody text: String, @RequestAttribute(RetryAttributes.NAME) options: CallOptions): String

    @PostExchange
    fun keyed(@RequestBody text: String, @RequestHeader("Idempotency-Key") key: String): String

    @Idempotent
    @PostExchange
    fun told(@RequestBody text: String, @RequestAttribute(RetryAttributes.NAME) options: CallOptions): String
}

@Idempotent
interface MarkedPosts {
    @PostExchange
    fun post(@RequestBody text: String): String
}

interface InheritedPosts : MarkedPosts

@Idempotent
interface MarkedHeirPosts : PlainPosts

interface PlainPosts {
    @PostExchange
    fun post(@RequestBody text: String): String
}

private val POLICY = RetryPolicy.HTTP.with {
    noBackoff()
    noQuota()
}
private val RETRIES = HttpRetries.builder().policy(POLICY).build()

private val ADAPTERS = mapOf<String, (URI, HttpRetries) -> HttpExchangeAdapter>(
    "RestClient" to { uri, retries ->
        val client = RestClient.builder().baseUrl("$uri").requestFactory(JdkClientHttpRequestFactory())
            .requestInterceptor(RetryInterceptor(retries))
        RestClientAdapter.create(client.build())
    },
    "RestClient over a factory" to { uri, retries ->
        val factory = RetryingRequestFactory(SimpleClientHttpRequestFactory(), retries)
        RestClientAdapter.create(RestClient.builder().baseUrl("$uri").requestFactory(factory).build())
    },
    "WebClient" to { uri, retries ->
        val client = WebClient.builder().baseUrl("$uri").filter(RetryExchangeFilter(retries))
        WebClientAdapter.create(client.build())
    },
)

private fun viewOf(options: CallOptions) = HttpRetries.of(JavaRetrier.of(POLICY).withOptions(options))

private class Case(val requests: Int, val call: (HttpServiceProxyFactory) -> String)

private val CASES = mapOf(
    "plain" to Case(1) { it.createClient(Posts::class.java).plain("a") },
    "marked" to Case(2) { it.createClient(Posts::class.java).marked("a") },
    "marked by its interface" to Case(2) { it.createClient(MarkedPosts::class.java).post("a") },
    "inherited from one that is marked" to Case(2) { it.createClient(InheritedPosts::class.java).post("a") },
    "inherited by one that is marked" to Case(1) { it.createClient(MarkedHeirPosts::class.java).post("a") },
    "given a key" to Case(2) { it.createClient(Posts::class.java).keyed("a", "7") },
    "given a name" to Case(1) { it.createClient(Posts::class.java).given("a", CallOptions("charge card")) },
    "given a limit" to Case(1) { it.createClient(Posts::class.java).given("a", CallOptions { deadline = 1.minutes }) },
    "given a long poll" to
        Case(1) { it.createClient(Posts::class.java).given("a", CallOptions { longPolling = true }) },
    "said to be safe" to
        Case(2) { it.createClient(Posts::class.java).given("a", CallOptions { repeat = Repeat.SAFE }) },
    "marked and given a name" to Case(2) { it.createClient(Posts::class.java).told("a", CallOptions("charge card")) },
    "told otherwise by an argument" to
        Case(1) { it.createClient(Posts::class.java).told("a", CallOptions { repeat = Repeat.NEVER }) },
)

class IdempotentTest :
    FunSpec({
        fun check(adapter: (URI, HttpRetries) -> HttpExchangeAdapter, case: Case, retries: HttpRetries = RETRIES) =
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                val factory = HttpServiceProxyFactory.builderFor(adapter(server.uri(), retries))
                    .httpRequestValuesProcessor(IdempotentMethods()).build()

                runCatching { case.call(factory) }.isSuccess shouldBe (case.requests == 2)

                server.bodies() shouldBe List(case.requests) { "a" }
            }

        for ((client, adapter) in ADAPTERS) {
            for ((kind, case) in CASES) {
                test("$client: a POST of an HTTP interface that is $kind is sent ${case.requests} times") {
                    check(adapter, case)
                }
            }
            test("$client: the options of a retrier's view are a request's where its own say nothing") {
                val safe = viewOf(CallOptions { repeat = Repeat.SAFE })
                check(adapter, Case(2) { CASES.getValue("plain").call(it) }, safe)
                check(adapter, Case(2) { CASES.getValue("given a name").call(it) }, safe)
                check(adapter, CASES.getValue("told otherwise by an argument"), safe)
                val never = viewOf(CallOptions { repeat = Repeat.NEVER })
                check(adapter, Case(1) { CASES.getValue("given a key").call(it) }, never)
                check(adapter, CASES.getValue("said to be safe"), never)
            }
        }
    })
