package dev.reprise.spring.http

import org.apache.hc.client5.http.classic.HttpClient
import org.apache.hc.client5.http.config.Configurable
import org.apache.hc.client5.http.config.RequestConfig
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder
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
import java.nio.channels.AsynchronousCloseException
import org.eclipse.jetty.client.HttpClient as JettyClient
import reactor.netty.http.client.HttpClient as NettyClient

/** Lets attempts cancel the requests of Apache HttpClient 5, Jetty and Reactor Netty, which Spring keeps to itself. */
public object CuttableRequests {
    /** Does so for Apache's client below [factory], if it is that one's factory or stands above it. Once is enough. */
    @JvmStatic
    public fun of(factory: ClientHttpRequestFactory) {
        when (factory) {
            is AbstractClientHttpRequestFactoryWrapper -> of(factory.delegate)
            is HttpComponentsClientHttpRequestFactory -> CuttableClient.below(factory)
        }
    }

    /**
     * Does so for all requests of Jetty's [client], whose factory does not tell its client. Without it the connection of a response
     * that stalls stays open for the client's idle timeout.
     */
    @JvmStatic
    public fun ofJetty(client: JettyClient) {
        // Closing the body of a response waits for its next byte.
        client.requestListeners.addQueuedListener { request ->
            val wire = Wire.current ?: request.attributes[AttemptRequest.INSIDE] as? Wire
            wire?.onCut { request.abort(AsynchronousCloseException()) }
        }
    }

    /**
     * Does so for the requests of RestClient over the client that this returns, which is [client] otherwise. Without it a response
     * that comes in the moment in which its attempt is cut off may keep its connection for ever.
     */
    @JvmStatic
    public fun ofNetty(client: NettyClient): NettyClient = client
        // On the thread that sends. It waits in Mono.block, which forgets a result that is there when it is interrupted.
        .mapConnect { connecting ->
            val wire = Wire.current
            if (wire == null) connecting else connecting.contextWrite { it.put(Wire::class, wire) }
        }
        .doOnRequest { request, exchange ->
            request.currentContextView().getOrDefault<Wire>(Wire::class, null)?.let {
                NettyExchange.cutBy(it, exchange)
            }
        }

    /**
     * Does so for the requests of WebClient over the client of [builder]. Without it an exchange that stalls stays open: for ever if
     * the client has no response timeout. Under `setMessageMultiplexing(true)` it closes the connection that other exchanges share.
     */
    @JvmStatic
    public fun ofApache(builder: HttpAsyncClientBuilder) {
        builder.addExecInterceptorFirst("reprise") { request, body, scope, chain, callback ->
            (scope.clientContext.getAttribute(AttemptRequest.INSIDE) as? Wire)?.onCut {
                scope.cancellableDependency.cancel()
                scope.execRuntime.discardEndpoint()
            }
            chain.proceed(request, body, scope, callback)
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
        if (request is Cancellable) Wire.current?.onCut { request.cancel() }
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
