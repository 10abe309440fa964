package dev.reprise.spring.webclient

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.faults.Certificates
import dev.reprise.faults.Held
import dev.reprise.faults.Kind
import dev.reprise.faults.Matrix
import dev.reprise.faults.Observation
import dev.reprise.spring.http.CuttableRequests
import dev.reprise.spring.http.HttpRetries
import io.netty.handler.ssl.ClientAuth
import io.netty.handler.ssl.IdentityCipherSuiteFilter
import io.netty.handler.ssl.JdkSslContext
import org.apache.hc.client5.http.config.TlsConfig
import org.apache.hc.client5.http.impl.async.HttpAsyncClients
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder
import org.apache.hc.core5.http2.HttpVersionPolicy
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic
import org.eclipse.jetty.io.ClientConnector
import org.eclipse.jetty.util.ssl.SslContextFactory
import org.springframework.core.io.buffer.DataBuffer
import org.springframework.core.io.buffer.DefaultDataBufferFactory
import org.springframework.http.HttpMethod
import org.springframework.http.client.reactive.ClientHttpConnector
import org.springframework.http.client.reactive.HttpComponentsClientHttpConnector
import org.springframework.http.client.reactive.JdkClientHttpConnector
import org.springframework.http.client.reactive.JettyClientHttpConnector
import org.springframework.http.client.reactive.ReactorClientHttpConnector
import org.springframework.web.reactive.function.BodyInserters
import org.springframework.web.reactive.function.client.WebClient
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.netty.resources.ConnectionProvider
import java.net.URI
import java.net.http.HttpClient
import kotlin.time.Duration.Companion.milliseconds
import org.eclipse.jetty.client.HttpClient as JettyClient
import reactor.netty.http.client.HttpClient as NettyClient

/** The HTTP libraries below WebClient. */
internal enum class Connector(private val of: (most: Int) -> ClientHttpConnector) {
    NETTY({ most ->
        val context = JdkSslContext(
            Certificates.clientContext(),
            true,
            null,
            IdentityCipherSuiteFilter.INSTANCE,
            null,
            ClientAuth.NONE,
            null,
            false,
        )
        ReactorClientHttpConnector(
            NettyClient.create(ConnectionProvider.create("test", most)).disableRetry(true).secure {
                it.sslContext(context)
            },
        )
    }),
    JDK({
        val client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(Certificates.clientContext())
            .build()
        JdkClientHttpConnector(client)
    }),
    JETTY({ most ->
        val tls = SslContextFactory.Client().apply { sslContext = Certificates.clientContext() }
        val connector = ClientConnector().apply { sslContextFactory = tls }
        val client = JettyClient(HttpClientTransportDynamic(connector)).apply { isFollowRedirects = false }
        client.maxConnectionsPerDestination = most
        JettyClientHttpConnector(client.also(CuttableRequests::ofJetty))
    }),
    APACHE({ most ->
        val tls = ClientTlsStrategyBuilder.create().setSslContext(Certificates.clientContext()).buildAsync()
        val connections = PoolingAsyncClientConnectionManagerBuilder.create().setTlsStrategy(tls)
            .setMaxConnPerRoute(most)
            .setDefaultTlsConfig(TlsConfig.custom().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1).build()).build()
        val client = HttpAsyncClients.custom().setConnectionManager(connections)
            .disableAutomaticRetries().disableRedirectHandling().also(CuttableRequests::ofApache).build()
        HttpComponentsClientHttpConnector(client)
    }),
    ;

    /** A connector with [most] connections to a server. */
    fun make(most: Int = 50): ClientHttpConnector = of(most)

    fun client(retries: HttpRetries = quickly(), most: Int = 50): WebClient = WebClient.builder()
        .clientConnector(make(most))
        .codecs { it.defaultCodecs().maxInMemorySize(-1) }
        .filter(RetryExchangeFilter(retries))
        .build()
}

/** Retries with waits of 5 ms, changed by [changes]. */
internal fun quickly(changes: RetryPolicyBuilder.() -> Unit = {}): HttpRetries {
    val policy = RetryPolicy.HTTP.with {
        backoff = Backoff.fixed(5.milliseconds)
        quota = null
        changes()
    }
    return HttpRetries.builder().policy(policy).build()
}

/** [text] as a body whose length is known and that can be read once. */
internal fun oneShot(text: String): Flux<DataBuffer> {
    var isGone = false
    return Flux.defer {
        check(!isGone) { "read twice" }
        isGone = true
        Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(text.toByteArray()))
    }
}

internal fun WebClient.sending(kind: Kind, uri: URI): WebClient.RequestHeadersSpec<*> {
    val payload = kind.payload(uri)
    val request = method(HttpMethod.valueOf(kind.method())).uri(uri)
    return when (kind) {
        Kind.GET -> request

        Kind.POST -> request.bodyValue(payload)

        Kind.ONE_SHOT_PUT -> request.contentLength(
            payload.length.toLong(),
        ).body(BodyInserters.fromDataBuffers(oneShot(payload)))
    }
}

/** A client of the matrix, as its caller sees it. */
internal fun WebClient.asMatrixClient() = object : Matrix.Client {
    override fun send(kind: Kind, uri: URI) = observed {
        sending(kind, uri).exchangeToMono { response ->
            val status = response.statusCode().value()
            response.bodyToMono(String::class.java).defaultIfEmpty("").map { Observation.of(status, it) }
        }
    }

    override fun hold(held: Held, uri: URI): Observation? = if (held == Held.SOCKET) {
        null
    } else {
        observed {
            get().uri(uri).exchangeToMono { response ->
                val status = response.statusCode().value()
                response.bodyToFlux(String::class.java).next().map { Observation.of(status, it) }
            }
        }
    }

    private fun observed(send: () -> Mono<Observation>): Observation = Observation.of { send().block()!! }
}
