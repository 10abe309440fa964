package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.call.HttpClientCall
import io.ktor.client.engine.apache5.Apache5EngineConfig
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpSendPipeline
import io.ktor.http.HttpMethod
import io.ktor.util.pipeline.PipelinePhase
import kotlinx.coroutines.job
import org.apache.hc.client5.http.async.AsyncExecCallback
import org.apache.hc.client5.http.async.AsyncExecChain
import org.apache.hc.client5.http.async.AsyncExecChainHandler
import org.apache.hc.client5.http.async.AsyncExecRuntime
import org.apache.hc.core5.http.HttpRequest
import org.apache.hc.core5.http.nio.AsyncEntityProducer
import java.util.concurrent.ConcurrentHashMap

/**
 * Closes the connections of Ktor's Apache5 engine whose requests or responses were cancelled. The engine reads such a body to
 * its end, and the next request may wait for the connection.
 *
 * The engine makes its client at the first request, and can be told until then. To that client it passes on nothing by which an
 * exchange could be known, but the name of its method as the object that it is: so each request has an equal copy of its own. Clients
 * may share an engine, hence one table for all.
 */
internal object Apache5Cuts : AsyncExecChainHandler {
    /** Known by the object [method], not by its text. */
    private class Exchange(val method: String) {
        @Volatile
        var runtime: AsyncExecRuntime? = null

        override fun equals(other: Any?): Boolean = other is Exchange && other.method === method

        override fun hashCode(): Int = System.identityHashCode(method)
    }

    private val running = ConcurrentHashMap<Exchange, Exchange>()

    /** Does so for the requests of [client], whose engine is Apache5. */
    fun install(client: HttpClient) {
        (client.engine.config as Apache5EngineConfig).customizeClient {
            addExecInterceptorFirst("reprise", this@Apache5Cuts)
        }
        val last = PipelinePhase("RepriseExchange")
        client.sendPipeline.insertPhaseBefore(HttpSendPipeline.Engine, last)
        client.sendPipeline.intercept(last) {
            val exchange = begin(context)
            val call = proceed() as? HttpClientCall ?: return@intercept
            call.response.coroutineContext.job.invokeOnCompletion { if (it != null) end(exchange, isCut = true) }
        }
    }

    override fun execute(
        request: HttpRequest,
        body: AsyncEntityProducer?,
        scope: AsyncExecChain.Scope,
        chain: AsyncExecChain,
        callback: AsyncExecCallback,
    ) {
        running[Exchange(request.method)]?.runtime = scope.execRuntime
        chain.proceed(request, body, scope, callback)
    }

    private fun begin(request: HttpRequestBuilder): Exchange {
        val exchange = Exchange(String(request.method.value.toCharArray()))
        running[exchange] = exchange
        request.method = HttpMethod(exchange.method)
        request.executionContext.invokeOnCompletion { end(exchange, isCut = it != null) }
        return exchange
    }

    private fun end(exchange: Exchange, isCut: Boolean) {
        if (running.remove(exchange) != null && isCut) exchange.runtime?.discardEndpoint()
    }
}
