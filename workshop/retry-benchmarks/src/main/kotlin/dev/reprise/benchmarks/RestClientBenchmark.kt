package dev.reprise.benchmarks

import dev.reprise.spring.http.RetryInterceptor
import dev.reprise.spring.http.RetryingRequestFactory
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.HttpStatusCode
import org.springframework.http.client.AbstractClientHttpRequest
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.ClientHttpResponse
import org.springframework.web.client.RestClient
import java.io.InputStream
import java.io.OutputStream
import java.net.URI

/** RestClient with no network behind it: its request factory answers. A floor without retries. */
open class RestClientBenchmark {
    @Benchmark
    fun floor(work: Work, clients: RestClients) = clients.status(work, clients.bare)

    @Benchmark
    fun floorInterceptor(work: Work, clients: RestClients) = clients.status(work, clients.passing)

    @Benchmark
    fun reprise(work: Work, clients: RestClients) = clients.status(work, clients.interceptor)

    @Benchmark
    fun repriseFactory(work: Work, clients: RestClients) = clients.status(work, clients.factory)

    @Benchmark
    fun resilience4j(work: Work, clients: RestClients): Int =
        clients.peer.executeSupplier { clients.status(work, clients.bare) }
}

/** The clients of one thread. */
@State(Scope.Thread)
open class RestClients {
    lateinit var work: Work

    private val uri = URI("http://localhost/")
    private val answering = ClientHttpRequestFactory { uri, method -> Answering(uri, method) }
    private val retries = springRetries()

    val bare: RestClient = RestClient.builder().requestFactory(answering).build()

    /** With an interceptor that does nothing, for which Spring buffers bodies. */
    val passing: RestClient = RestClient.builder().requestFactory(answering)
        .requestInterceptor { request, body, execution -> execution.execute(request, body) }.build()
    val interceptor: RestClient =
        RestClient.builder().requestFactory(answering).requestInterceptor(RetryInterceptor(retries)).build()
    val factory: RestClient = RestClient.builder().requestFactory(RetryingRequestFactory(answering, retries)).build()
    val peer = resilience4jRetries()

    fun status(work: Work, client: RestClient): Int {
        this.work = work
        return client.get().uri(uri).exchange { _, response -> response.statusCode.value() }!!
    }

    private inner class Answering(private val uri: URI, private val method: HttpMethod) : AbstractClientHttpRequest() {
        override fun getMethod(): HttpMethod = method

        override fun getURI(): URI = uri

        override fun getBodyInternal(headers: HttpHeaders): OutputStream = OutputStream.nullOutputStream()

        override fun executeInternal(headers: HttpHeaders): ClientHttpResponse =
            Answer(if (work.fails()) UNAVAILABLE else OK)
    }

    private class Answer(status: Int) : ClientHttpResponse {
        private val code = HttpStatusCode.valueOf(status)
        private val headers = HttpHeaders().apply { contentLength = 0 }

        override fun getStatusCode(): HttpStatusCode = code

        override fun getStatusText(): String = ""

        override fun getHeaders(): HttpHeaders = headers

        override fun getBody(): InputStream = InputStream.nullInputStream()

        override fun close() = Unit
    }
}
