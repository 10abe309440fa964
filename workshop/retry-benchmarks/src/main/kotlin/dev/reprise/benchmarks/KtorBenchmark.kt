package dev.reprise.benchmarks

import dev.reprise.core.SendRateSettings
import dev.reprise.ktor.Retry
import io.ktor.client.HttpClient
import io.ktor.client.HttpClientConfig
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockEngineConfig
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpRequestRetry
import io.ktor.client.request.get
import io.ktor.client.statement.HttpResponse
import io.ktor.http.HttpStatusCode
import io.ktor.http.isSuccess
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.OperationsPerInvocation
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown

/** The Ktor plugin against a mock engine; a floor without a plugin, whose caller looks at the status in a loop. */
open class KtorBenchmark {
    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    fun floor(work: Work, clients: Clients) = requests(work, clients) {
        var left = ATTEMPTS
        var response = clients.plain.get(URL)
        while (!response.status.isSuccess() && --left > 0) response = clients.plain.get(URL)
        response
    }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    fun reprise(work: Work, clients: Clients) = requests(work, clients) { clients.reprise.get(URL) }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    fun repriseListener(work: Work, clients: Clients) = requests(work, clients) { clients.listened.get(URL) }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    fun repriseAdaptive(work: Work, clients: Clients) = requests(work, clients) { clients.adaptive.get(URL) }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    fun ktorRetry(work: Work, clients: Clients) = requests(work, clients) { clients.ktorRetry.get(URL) }

    private inline fun requests(work: Work, clients: Clients, crossinline call: suspend () -> HttpResponse): Any? {
        clients.work = work
        return runBlocking {
            var last: Any? = null
            repeat(REQUESTS) { last = call().status }
            clients.forget()
            last
        }
    }

    private companion object {
        const val REQUESTS = 100
        const val URL = "http://localhost/"
    }
}

/** The clients of one thread: each with a mock engine that answers on the caller's thread. */
@State(Scope.Thread)
open class Clients {
    lateinit var work: Work
    private val engines = mutableListOf<MockEngine>()

    val plain = client { }

    val reprise = client { install(Retry) { policy = HTTP_STANDARD } }

    val listened =
        client {
            install(Retry) {
                policy = HTTP_STANDARD
                listeners += Counting()
            }
        }

    val adaptive = client { install(Retry) { policy = HTTP_STANDARD.with { sendRate = SendRateSettings.EXACT } } }

    val ktorRetry =
        client {
            install(HttpRequestRetry) {
                retryOnServerErrors(maxRetries = ATTEMPTS - 1)
                delayMillis(respectRetryAfterHeader = false) { 0 }
            }
        }

    /** A mock engine keeps every request and response for ever. */
    fun forget() {
        for (engine in engines) {
            (engine.requestHistory as MutableList<*>).clear()
            (engine.responseHistory as MutableList<*>).clear()
        }
    }

    @TearDown
    fun close() {
        for (client in listOf(plain, reprise, listened, adaptive, ktorRetry)) client.close()
    }

    private fun client(configure: HttpClientConfig<MockEngineConfig>.() -> Unit): HttpClient {
        val engine =
            MockEngine(
                MockEngineConfig().apply {
                    dispatcher = Dispatchers.Unconfined
                    addHandler {
                        respond("", if (work.fails()) HttpStatusCode.ServiceUnavailable else HttpStatusCode.OK)
                    }
                },
            )
        engines += engine
        return HttpClient(engine) {
            @Suppress("UNCHECKED_CAST")
            configure(this as HttpClientConfig<MockEngineConfig>)
        }
    }
}
