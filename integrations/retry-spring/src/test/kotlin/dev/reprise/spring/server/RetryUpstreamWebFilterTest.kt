package dev.reprise.spring.server

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Upstream
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.coroutines.Retrier
import dev.reprise.reactor.retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.micrometer.context.ContextRegistry
import kotlinx.coroutines.delay
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatus
import org.springframework.test.web.reactive.server.WebTestClient
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.reactive.function.client.WebClientResponseException
import org.springframework.web.server.ResponseStatusException
import org.springframework.web.server.WebFilter
import reactor.core.publisher.Hooks
import reactor.core.publisher.Mono
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds

/** Calls something that fails. */
@RestController
private class Orders {
    val attempts = AtomicInteger()
    private val retrier = Retrier(RetryPolicy { backoff = Backoff.IMMEDIATE })

    private fun fails(): Nothing {
        attempts.incrementAndGet()
        throw IOException("reset")
    }

    @GetMapping("/mono")
    fun mono(): Mono<String> = Mono.fromCallable<String> { fails() }.retry(retrier).onErrorMap(::unavailable)

    @GetMapping("/suspend")
    suspend fun suspending(): String = try {
        retrier { fails() }
    } catch (e: IOException) {
        throw unavailable(e)
    }

    @GetMapping("/busy")
    fun busy(): Mono<String> = Mono.error(ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE))

    @GetMapping("/answer-below")
    fun below(): Mono<String> {
        val headers = HttpHeaders().apply { set(SHOULD_RETRY, "false") }
        return Mono.error(unavailable(WebClientResponseException.create(503, "", headers, ByteArray(0), null)))
    }

    private fun unavailable(failure: Throwable) =
        ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "no orders", failure)
}

private val NAME = ThreadLocal<String>()

/** Says by which name it was called. */
@RestController
private class Named {
    @GetMapping("/named")
    suspend fun named(): String {
        val before = NAME.get()
        delay(1.milliseconds)
        return "$before, ${NAME.get()}"
    }
}

private fun client(orders: Orders = Orders(), filter: WebFilter = RetryUpstreamWebFilter()): WebTestClient =
    WebTestClient
        .bindToController(orders)
        .webFilter<WebTestClient.ControllerSpec>(filter)
        .configureClient()
        .responseTimeout(Duration.ofMinutes(1))
        .build()

class RetryUpstreamWebFilterTest :
    FunSpec({
        for (path in listOf("/mono", "/suspend", "/answer-below")) {
            test("$path: a response that stands for a call that gave up says so") {
                client().get().uri(path).exchange()
                    .expectStatus().isEqualTo(503)
                    .expectHeader().valueEquals(SHOULD_RETRY, "false")
            }
        }

        for (path in listOf("/mono", "/suspend")) {
            test("$path: a call that is made for a retry makes one attempt, any other as many as its policy lets it") {
                val orders = Orders()
                val client = client(orders)
                client.get().uri(path).exchange().expectStatus().isEqualTo(503)
                orders.attempts.getAndSet(0) shouldBe 3
                client.get().uri(path).header("amz-sdk-request", "attempt=2; max=3").exchange()
                    .expectStatus().isEqualTo(503)
                orders.attempts.get() shouldBe 1
            }
        }

        test("a suspending handler sees the thread-locals that Spring carries to it, after a wait, too") {
            val known = ContextRegistry.getInstance().registerThreadLocalAccessor("name", NAME)
            Hooks.enableAutomaticContextPropagation()
            try {
                val named = WebFilter { exchange, chain ->
                    chain.filter(exchange).contextWrite { it.put("name", "ada") }
                }
                val client = WebTestClient.bindToController(Named())
                    .webFilter<WebTestClient.ControllerSpec>(named, RetryUpstreamWebFilter()).build()
                client.get().uri("/named").exchange().expectBody(String::class.java).returnResult()
                    .responseBody shouldBe "ada, ada"
            } finally {
                Hooks.disableAutomaticContextPropagation()
                known.removeThreadLocalAccessor("name")
            }
        }

        test("any other failure is not marked") {
            client().get().uri("/busy").exchange()
                .expectStatus().isEqualTo(503)
                .expectHeader().doesNotExist(SHOULD_RETRY)
        }

        test("whoever wants to know is told of each request's upstream") {
            val seen = CopyOnWriteArrayList<Upstream>()
            val client = client(filter = RetryUpstreamWebFilter { seen += it })
            client.get().uri("/busy").header("x-envoy-attempt-count", "2").exchange()
            client.get().uri("/busy").exchange()
            seen shouldContainExactly listOf(Upstream(2), Upstream(1))
        }
    })
