package dev.reprise.spring.http

import dev.reprise.core.shell.ShellApi
import org.apache.hc.client5.http.classic.HttpClient
import org.apache.hc.client5.http.config.Configurable
import org.apache.hc.client5.http.config.RequestConfig
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient
import org.apache.hc.client5.http.impl.classic.CloseableHttpResponse
import org.apache.hc.core5.concurrent.Cancellable
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.HttpHost
import org.apache.hc.core5.http.protocol.HttpContext
import org.apache.hc.core5.io.CloseMode
import org.springframework.http.client.AbstractClientHttpRequestFactoryWrapper
import org.springframework.http.client.ClientHttpRequestFactory
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory

/** Lets attempts cancel the requests of Spring's factory for Apache HttpClient 5, which keeps them to itself. */
@ShellApi
public object CuttableRequests {
    /** Does so for [factory], if it is that one or stands above it. Once is enough. */
    @JvmStatic
    public fun of(factory: ClientHttpRequestFactory) {
        when (factory) {
            is AbstractClientHttpRequestFactoryWrapper -> of(factory.delegate)
            is HttpComponentsClientHttpRequestFactory -> CuttableClient.below(factory)
        }
    }
}

/** Apache's client [below], whose requests tell the attempt that they are part of how to cancel them. */
private class CuttableClient(private val below: CloseableHttpClient) :
    CloseableHttpClient(),
    Configurable {
    override fun doExecute(
        target: HttpHost?,
        request: ClassicHttpRequest,
        context: HttpContext?,
    ): CloseableHttpResponse {
        if (request is Cancellable) Wire.onCut(request::cancel)
        return below.executeOpen(target, request, context) as CloseableHttpResponse
    }

    /** What Spring's factory adds its timeouts to. */
    override fun getConfig(): RequestConfig = (below as? Configurable)?.config ?: RequestConfig.DEFAULT

    override fun close() = below.close()

    override fun close(mode: CloseMode) = below.close(mode)

    override fun toString(): String = below.toString()

    companion object {
        fun below(factory: HttpComponentsClientHttpRequestFactory) {
            val client: HttpClient = factory.httpClient
            if (client is CloseableHttpClient && client !is CuttableClient) factory.httpClient = CuttableClient(client)
        }
    }
}
