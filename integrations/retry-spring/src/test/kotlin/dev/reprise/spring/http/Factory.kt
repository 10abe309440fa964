package dev.reprise.spring.http

import dev.reprise.faults.Certificates
import io.netty.handler.ssl.ClientAuth
import io.netty.handler.ssl.IdentityCipherSuiteFilter
import io.netty.handler.ssl.JdkSslContext
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic
import org.eclipse.jetty.io.ClientConnector
import org.eclipse.jetty.util.ssl.SslContextFactory
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.http.client.JettyClientHttpRequestFactory
import org.springframework.http.client.ReactorClientHttpRequestFactory
import org.springframework.http.client.SimpleClientHttpRequestFactory
import org.springframework.web.client.RestClient
import reactor.netty.resources.ConnectionProvider
import java.net.HttpURLConnection
import java.net.http.HttpClient
import javax.net.ssl.HttpsURLConnection
import org.eclipse.jetty.client.HttpClient as JettyClient
import reactor.netty.http.client.HttpClient as NettyClient

/** The HTTP libraries that Boot may put below RestClient, without repeats of their own where these can be switched off. */
internal enum class Factory(val title: String, private val of: (most: Int) -> ClientHttpRequestFactory) {
    JDK("JDK", {
        val client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .sslContext(Certificates.clientContext())
            .build()
        JdkClientHttpRequestFactory(client)
    }),
    SIMPLE("HttpURLConnection", {
        object : SimpleClientHttpRequestFactory() {
            override fun prepareConnection(connection: HttpURLConnection, httpMethod: String) {
                super.prepareConnection(connection, httpMethod)
                (connection as? HttpsURLConnection)?.sslSocketFactory = Certificates.clientContext().socketFactory
            }
        }.apply { setReadTimeout(500) } // As the page says: nothing else ends its reads.
    }),
    APACHE("Apache", { most ->
        val connections = PoolingHttpClientConnectionManagerBuilder.create()
            .setTlsSocketStrategy(DefaultClientTlsStrategy(Certificates.clientContext()))
            .setMaxConnPerRoute(most)
            .build()
        val client = HttpClients.custom().setConnectionManager(connections).disableAutomaticRetries().build()
        HttpComponentsClientHttpRequestFactory(client)
    }),
    JETTY("Jetty", { most ->
        val tls = SslContextFactory.Client().apply { sslContext = Certificates.clientContext() }
        val connector = ClientConnector().apply { sslContextFactory = tls }
        JettyClientHttpRequestFactory(
            JettyClient(HttpClientTransportDynamic(connector)).also(CuttableRequests::ofJetty)
                .apply { maxConnectionsPerDestination = most },
        )
            .apply { setReadTimeout(60_000) }
            .apply { afterPropertiesSet() }
    }),
    NETTY("Netty", { most ->
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
        val client = NettyClient.create(ConnectionProvider.create("test", most)).disableRetry(true).secure {
            it.sslContext(context)
        }
        ReactorClientHttpRequestFactory(CuttableRequests.ofNetty(client)).apply { setReadTimeout(60_000) }
    }),
    ;

    /** A factory with [most] connections to a server. */
    fun make(most: Int = 50): ClientHttpRequestFactory = of(most)

    /** A client that the request factory retries, or the interceptor. */
    fun client(retries: HttpRetries, face: Face = Face.FACTORY, most: Int = 50): RestClient {
        val below = make(most)
        // As Boot's starter does.
        if (this == APACHE && face == Face.INTERCEPTOR) CuttableRequests.of(below)
        return face.over(below, retries)
    }
}

/** What retries. */
internal enum class Face {
    FACTORY,
    INTERCEPTOR,
    ;

    /** A client over [below] that this retries. */
    fun over(below: ClientHttpRequestFactory, retries: HttpRetries): RestClient = when (this) {
        FACTORY -> RestClient.builder().requestFactory(RetryingRequestFactory(below, retries)).build()
        INTERCEPTOR -> RestClient.builder().requestFactory(below).requestInterceptor(RetryInterceptor(retries)).build()
    }
}
