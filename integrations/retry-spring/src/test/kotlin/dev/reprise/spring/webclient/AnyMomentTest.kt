package dev.reprise.spring.webclient

import dev.reprise.core.Backoff
import dev.reprise.core.NanoClock
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.server.RetryUpstreamWebFilter
import dev.reprise.test.Recorder
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DefaultDataBufferFactory
import org.springframework.http.HttpStatus
import org.springframework.mock.http.server.reactive.MockServerHttpRequest
import org.springframework.mock.web.server.MockServerWebExchange
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.ExchangeFunction
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.test.scheduler.VirtualTimeScheduler
import java.time.Duration
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds

/** A server that takes 10 ms for the head of a 503 and 10 ms for its body, and a client of three attempts with waits of 50 ms. */
private class Scene(private val time: VirtualTimeScheduler) {
    val recorder = Recorder()
    var requests = 0
    var open = 0

    private val retrier = Retrier(
        RetryPolicy.HTTP.with {
            backoff = Backoff.fixed(50.milliseconds)
            quota = TokenBucketSettings { capacity(500) }
        },
    ) {
        listener(recorder)
        clock = NanoClock { time.now(TimeUnit.NANOSECONDS) }
    }
    val quota get() = retrier.quota!!.available

    private val server = ExchangeFunction {
        Mono.defer {
            requests++
            open++
            val body = Flux.defer { Mono.delay(Duration.ofMillis(10)).thenMany(Flux.just(buffer())) }
                .doFinally { open-- }
            var isTaken = false
            Mono.delay(Duration.ofMillis(10))
                .map { ClientResponse.create(HttpStatus.SERVICE_UNAVAILABLE).body(body).build() }
                .doOnNext { isTaken = true }
                .doOnCancel { if (!isTaken) open-- }
        }
    }

    private fun buffer(): DataBuffer = DefaultDataBufferFactory.sharedInstance.wrap("busy".toByteArray())

    val call: Mono<String> = WebClient.builder()
        .exchangeFunction(server)
        .filter(RetryExchangeFilter(JavaRetrier.sharing(retrier)))
        .build().get().uri("http://localhost/").exchangeToMono { it.bodyToMono(String::class.java) }
}

/** Subscribes to what [make] makes, cancels it at [moment], lets an hour pass, and gives the scene to [check]. */
private fun cancelledAt(moment: Long, make: (Scene) -> Mono<*>, check: (Scene, Int) -> Unit) {
    val time = VirtualTimeScheduler.getOrSet()
    try {
        val scene = Scene(time)
        val subscription = make(scene).subscribe({}, {})
        time.advanceTimeBy(Duration.ofMillis(moment))
        val sent = scene.requests
        subscription.dispose()
        time.advanceTimeBy(Duration.ofHours(1))
        withClue("cancelled at $moment ms") { check(scene, sent) }
    } finally {
        VirtualTimeScheduler.reset()
    }
}

/** Attempts run at 0-20, 70-90 and 140-160 ms: every millisecond is tried. */
class AnyMomentTest :
    FunSpec({
        val ways = mapOf<String, (Scene) -> Mono<*>>(
            "a call of WebClient" to { it.call },
            "a WebFlux request whose handler makes one" to { scene ->
                val exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/"))
                RetryUpstreamWebFilter().filter(exchange) { scene.call.then() }
            },
        )
        for ((way, make) in ways) {
            test("$way that is cancelled at any moment sends no more, and leaves no response and no quota behind") {
                for (moment in 0L until 160L) {
                    cancelledAt(moment, make) { scene, sent ->
                        scene.requests shouldBe sent
                        scene.open shouldBe 0
                        scene.quota shouldBe 500 - 14 * (sent - 1)
                        scene.recorder.call.reason shouldBe StopReason.CANCELLED
                    }
                }
            }
        }
    })
