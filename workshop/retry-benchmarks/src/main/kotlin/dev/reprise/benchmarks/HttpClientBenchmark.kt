package dev.reprise.benchmarks

import dev.reprise.jdkhttp.RetryingHttpClient
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers

/** java.net.http over a client that answers at once, without a network. A floor without retries. */
open class HttpClientBenchmark {
    @Benchmark
    fun floor(work: Work, clients: JdkClients) = clients.send(work, clients.stub)

    @Benchmark
    fun reprise(work: Work, clients: JdkClients) = clients.send(work, clients.retrying)

    @Benchmark
    fun floorAsync(work: Work, clients: JdkClients) = clients.sendAsync(work, clients.stub)

    @Benchmark
    fun repriseAsync(work: Work, clients: JdkClients) = clients.sendAsync(work, clients.retrying)
}

/** The clients of one thread. */
@State(Scope.Thread)
open class JdkClients {
    private val request: HttpRequest = HttpRequest.newBuilder(URI.create("http://localhost:8080/")).build()
    private lateinit var work: Work

    val stub: HttpClient = StubHttpClient { work.fails() }
    val retrying: HttpClient = RetryingHttpClient.around(stub)
        .policy(HTTP_STANDARD)
        .build()

    fun send(work: Work, client: HttpClient): HttpResponse<Void> {
        this.work = work
        return client.send(request, BodyHandlers.discarding())
    }

    fun sendAsync(work: Work, client: HttpClient): Any? {
        this.work = work
        return client.sendAsync(request, BodyHandlers.discarding()).join()
    }
}
