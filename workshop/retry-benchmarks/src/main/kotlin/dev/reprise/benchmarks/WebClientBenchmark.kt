package dev.reprise.benchmarks

import dev.reprise.spring.webclient.RetryExchangeFilter
import io.github.resilience4j.reactor.retry.RetryOperator
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.springframework.http.HttpStatusCode
import org.springframework.web.reactive.function.client.ClientResponse
import org.springframework.web.reactive.function.client.ExchangeFunction
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Mono
import java.net.URI

/** WebClient with no network behind it: its exchange function answers. A floor without retries. */
open class WebClientBenchmark {
    @Benchmark
    fun floor(work: Work, clients: WebClients): Int = clients.status(work, clients.bare).block()!!

    @Benchmark
    fun reprise(work: Work, clients: WebClients): Int = clients.status(work, clients.retrying).block()!!

    @Benchmark
    fun resilience4j(work: Work, clients: WebClients): Int =
        clients.status(work, clients.bare).transformDeferred(clients.peer).block()!!
}

/** The clients of one thread. */
@State(Scope.Thread)
open class WebClients {
    lateinit var work: Work

    private val uri = URI("http://localhost/")
    private val answering = ExchangeFunction {
        Mono.fromSupplier {
            val status = if (work.fails()) UNAVAILABLE else OK
            ClientResponse.create(HttpStatusCode.valueOf(status)).header("Content-Length", "0").build()
        }
    }

    val bare: WebClient = WebClient.builder().exchangeFunction(answering).build()
    val retrying: WebClient =
        WebClient.builder().exchangeFunction(answering).filter(RetryExchangeFilter(springRetries())).build()
    val peer: RetryOperator<Int> = RetryOperator.of(resilience4jRetries())

    fun status(work: Work, client: WebClient): Mono<Int> {
        this.work = work
        return client.get().uri(uri).exchangeToMono { it.releaseBody().thenReturn(it.statusCode().value()) }
    }
}
