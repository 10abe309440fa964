package dev.reprise.spring.webclient

import dev.reprise.build.logged
import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.http.RetryAttributes
import dev.reprise.spring.http.RetryInterceptor
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.springframework.web.client.RestClient
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Mono
import java.net.URI

class ToldOnceTest :
    FunSpec({
        /** How often the log says that a request to a busy server was not repeated, after three such [posts]. */
        fun told(post: (URI) -> Unit): Int = logged("dev.reprise") {
            FaultServer(Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE).use { server ->
                repeat(3) { post(server.uri()) }
            }
        }.count { "is not retried: something may have been sent" in it.message }

        test("WebClient: a POST that is not repeated is told of once") {
            val client = WebClient.builder().filter(RetryExchangeFilter()).build()
            told { uri ->
                client.post().uri(uri).bodyValue("pay").exchangeToMono { Mono.just(it.statusCode()) }.block()
            } shouldBe 1
            told { uri -> client.post().uri(uri).exchangeToMono { Mono.just(it.statusCode()) }.block() } shouldBe 1
        }

        test("RestClient: a POST that is not repeated is told of once, unless its caller wants no repeat") {
            val client = RestClient.builder().requestInterceptor(RetryInterceptor()).build()
            told { uri -> client.post().uri(uri).body("pay").exchange { _, it -> it.statusCode } } shouldBe 1
            told { uri ->
                client.post().uri(uri).attributes(RetryAttributes.NO_RETRY).exchange { _, it -> it.statusCode }
            } shouldBe 0
        }

        test("a request that a call returns, and has not sent, is told of") {
            val specs = listOf(
                RestClient.create().get().uri("http://localhost/").retrieve(),
                WebClient.create().get().uri("http://localhost/").retrieve(),
            )
            for (spec in specs) {
                val retrier = JavaRetrier.of(RetryPolicy.STANDARD)
                logged("dev.reprise") {
                    retrier.call<Any?, Exception> { spec }
                }.map { it.message }.single() shouldContain
                    "ResponseSpec, whose work is not part of the call"
            }
        }
    })
