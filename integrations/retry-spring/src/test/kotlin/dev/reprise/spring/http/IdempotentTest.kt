package dev.reprise.spring.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
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

private val RETRIES = HttpRetries.builder().policy(
    RetryPolicy.HTTP.with {
        noBackoff()
        noQuota()
    },
).build()

private val ADAPTERS = mapOf<String, (URI) -> HttpExchangeAdapter>(
    "RestClient" to { uri ->
        val client = RestClient.builder().baseUrl("$uri").requestInterceptor(RetryInterceptor(RETRIES))
        RestClientAdapter.create(client.build())
    },
    "WebClient" to { uri ->
        val client = WebClient.builder().baseUrl("$uri").filter(RetryExchangeFilter(RETRIES))
        WebClientAdapter.create(client.build())
    },
)

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
        for ((client, adapter) in ADAPTERS) {
            for ((kind, case) in CASES) {
                test("$client: a POST of an HTTP interface that is $kind is sent ${case.requests} times") {
                    FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                        val factory = HttpServiceProxyFactory.builderFor(adapter(server.uri()))
                            .httpRequestValuesProcessor(IdempotentMethods()).build()

                        runCatching { case.call(factory) }.isSuccess shouldBe (case.requests == 2)

                        server.bodies() shouldBe List(case.requests) { "a" }
                    }
                }
            }
        }
    })
