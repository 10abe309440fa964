package dev.reprise.spring.webclient

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.reactivestreams.Subscription
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.reactive.function.client.ExchangeFilterFunction
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.BaseSubscriber
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.publisher.Sinks
import reactor.core.scheduler.Schedulers
import reactor.netty.http.client.HttpClient
import reactor.netty.http.server.HttpServer
import reactor.netty.resources.ConnectionProvider
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

/** The moment in which a response comes: it is held until its attempt has been cut off. */
private class Moment {
    val response = CountDownLatch(1)
    val cutOff = CountDownLatch(1)

    fun <T : Any> hold(responses: Mono<T>): Mono<T> = responses.doOnNext {
        response.countDown()
        cutOff.await(10, SECONDS)
    }
}

/** Reactor Netty's [client], with a [filter] next to it. */
private class Below(val client: HttpClient, val filter: ExchangeFilterFunction)

/** WebClient over Reactor Netty, and one connection. */
class NettyExchangeTest :
    FunSpec({
        val isAsked = CountDownLatch(1)
        val gate = Sinks.one<String>()
        val server = HttpServer.create().port(0).route { routes ->
            routes.get("/endless") { _, response ->
                response.sendString(Flux.interval(Duration.ofMillis(1)).map { "a" })
            }
            routes.get("/gated") { _, response ->
                isAsked.countDown()
                response.sendString(gate.asMono())
            }
            routes.get("/good") { _, response -> response.sendString(Mono.just("good")) }
        }.bindNow()

        afterSpec { server.disposeNow() }

        fun WebClient.asking(path: String) = get().uri("http://localhost:${server.port()}$path")
        fun WebClient.text(path: String): Mono<String> = asking(path).retrieve().bodyToMono(String::class.java)
        fun netty() = HttpClient.create(ConnectionProvider.create("one", 1)).disableRetry(true)

        val holding = mapOf<String, (Moment, HttpClient) -> Below>(
            "Spring has not seen" to { moment, netty ->
                Below(netty.mapConnect { moment.hold(it) }) { request, next -> next.exchange(request) }
            },
            // Spring reads it to its end, which never comes.
            "Spring has seen" to { moment, netty ->
                Below(netty) { request, next ->
                    moment.hold(next.exchange(request).publishOn(Schedulers.boundedElastic()))
                }
            },
        )

        for ((name, below) in holding) {
            test("a call that is cut off leaves its connection to the next, with a response that $name") {
                val moment = Moment()
                val netty = netty()
                val held = below(moment, netty)
                val call = WebClient.builder().clientConnector(ReactorClientHttpConnector(held.client))
                    .filter(RetryExchangeFilter(quickly())).filter(held.filter).build()
                    .text("/endless").subscribe()
                moment.response.await(10, SECONDS) shouldBe true
                call.dispose()
                moment.cutOff.countDown()

                val next = WebClient.builder().clientConnector(ReactorClientHttpConnector(netty)).build()
                next.text("/good").block(Duration.ofSeconds(10)) shouldBe "good"
            }
        }

        test("an attempt that fails with its response unread leaves its connection to the next call") {
            val bare = WebClient.builder().clientConnector(ReactorClientHttpConnector(netty()))
            val failing = bare.clone().filter(RetryExchangeFilter(quickly()))
                .filter { request, next -> next.exchange(request).map { error("a filter fails") } }
            shouldThrow<IllegalStateException> { failing.build().text("/endless").block() }.message shouldBe
                "a filter fails"
            bare.build().text("/good").block(Duration.ofSeconds(10)) shouldBe "good"
        }

        test("a call that is cut off when its exchange is over does not touch the next one on its connection") {
            val bare = WebClient.builder().clientConnector(ReactorClientHttpConnector(netty()))
            val isDelivered = CountDownLatch(1)
            val idle = object : BaseSubscriber<DataBuffer>() {
                override fun hookOnSubscribe(subscription: Subscription) = Unit
            }
            bare.clone().filter(RetryExchangeFilter(quickly())).build().asking("/good").exchangeToFlux {
                isDelivered.countDown()
                it.bodyToFlux(DataBuffer::class.java)
            }.subscribe(idle)
            isDelivered.await(10, SECONDS) shouldBe true
            val next = bare.build().text("/gated").toFuture()
            isAsked.await(10, SECONDS) shouldBe true
            idle.cancel()
            gate.tryEmitValue("good")
            next.get(10, SECONDS) shouldBe "good"
        }
    })
