package dev.reprise.ktor

import io.ktor.client.HttpClient
import io.ktor.client.call.HttpClientCall
import io.ktor.client.engine.apache5.Apache5EngineConfig
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.HttpSendPipeline
import io.ktor.util.pipeline.PipelinePhase
import kotlinx.coroutines.job
import org.apache.hc.client5.http.async.AsyncExecCallback
import org.apache.hc.client5.http.async.AsyncExecChain
import org.apache.hc.client5.http.async.AsyncExecChainHandler
import org.apache.hc.client5.http.async.AsyncExecRuntime
import org.apache.hc.core5.http.HttpRequest
import org.apache.hc.core5.http.nio.AsyncEntityProducer
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

/**
 * Closes the connections of Ktor's Apache5 engine whose requests or responses were cancelled. The engine reads such a body to
 * its end, and the next request may wait for the connection.
 *
 * The engine makes its client at the first request, and can be told until then. A header names each exchange to that client,
 * which takes it out again: it is set after all plugins, and never sent. Where the client was there before, nothing is set.
 */
internal class Apache5Cuts private constructor() : AsyncExecChainHandler {
    private class Exchange {
        @Volatile
        var runtime: AsyncExecRuntime? = null
    }

    private val running = ConcurrentHashMap<String, Exchange>()
    private val lastId = AtomicLong()

    @Volatile
    private var isInstalled = false

    @Volatile
    private var isTooLate = false

    override fun execute(
        request: HttpRequest,
        body: AsyncEntityProducer?,
        scope: AsyncExecChain.Scope,
        chain: AsyncExecChain,
        callback: AsyncExecCallback,
    ) {
        request.getFirstHeader(HEADER)?.let { running[it.value]?.runtime = scope.execRuntime }
        request.removeHeaders(HEADER)
        chain.proceed(request, body, scope, callback)
    }

    /** Names the exchange of [request], unless its engine does not know such names. */
    private fun name(request: HttpRequestBuilder): String? {
        if (isTooLate) return null
        val id = lastId.incrementAndGet().toString()
        running[id] = Exchange()
        request.headers[HEADER] = id
        request.executionContext.invokeOnCompletion { end(id, isCut = it != null) }
        return id
    }

    private fun end(id: String, isCut: Boolean) {
        if (!isInstalled) isTooLate = true
        val exchange = running.remove(id) ?: return
        if (isCut) exchange.runtime?.discardEndpoint()
    }

    companion object {
        private const val HEADER = "x-reprise-exchange"

        /** Does so for the requests of [client], whose engine is Apache5. */
        fun install(client: HttpClient) {
            val cuts = Apache5Cuts()
            (client.engine.config as Apache5EngineConfig).customizeClient {
                addExecInterceptorFirst("reprise", cuts)
                cuts.isInstalled = true
            }
            val last = PipelinePhase("RepriseExchange")
            client.sendPipeline.insertPhaseBefore(HttpSendPipeline.Engine, last)
            client.sendPipeline.intercept(last) {
                val id = cuts.name(context) ?: return@intercept
                val call = proceed() as? HttpClientCall ?: return@intercept
                call.response.coroutineContext.job.invokeOnCompletion { if (it != null) cuts.end(id, isCut = true) }
            }
        }
    }
}
