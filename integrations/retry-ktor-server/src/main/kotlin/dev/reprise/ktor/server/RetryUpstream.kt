package dev.reprise.ktor.server

import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.core.shell.values.readUpstream
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.serving
import io.ktor.http.content.OutgoingContent
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.ApplicationCallPipeline
import io.ktor.server.application.BaseApplicationPlugin
import io.ktor.server.application.call
import io.ktor.server.response.ApplicationSendPipeline
import io.ktor.util.AttributeKey
import io.ktor.util.pipeline.PipelinePhase
import io.ktor.utils.io.KtorDsl
import java.util.function.Consumer

/**
 * Keeps the retries of this server and those of its callers from multiplying:
 *
 * ```
 * embeddedServer(CIO) {
 *     install(RetryUpstream)
 *     routing { … }
 * }
 * ```
 *
 * While a request is served that is a retry itself, as its headers say, each call of a retrier makes one attempt. If a
 * retrier gave up, a response of 500 or more says `x-should-retry: false`, unless the handler has set that header. The
 * exception that leaves the handler decides; if the handler responds itself, the last call that it made decides.
 */
public object RetryUpstream : BaseApplicationPlugin<Application, RetryUpstreamConfig, Unit> {
    override val key: AttributeKey<Unit> = AttributeKey("RetryUpstream")

    private val served = AttributeKey<ServedRequest>("RetryUpstreamServed")

    /** Inside all plugins that turn exceptions into responses. */
    private val failures = PipelinePhase("RetryUpstreamFailures")

    override fun install(pipeline: Application, configure: RetryUpstreamConfig.() -> Unit) {
        val onRequest = RetryUpstreamConfig().apply(configure).onRequest
        pipeline.intercept(ApplicationCallPipeline.Setup) {
            val upstream = readUpstream { call.request.headers[it] }
            onRequest?.accept(upstream)
            val request = ServedRequest(upstream, Retrier.SYSTEM_CLOCK)
            call.attributes.put(served, request)
            serving(request) { proceed() }
        }
        pipeline.insertPhaseBefore(ApplicationCallPipeline.Call, failures)
        pipeline.intercept(failures) {
            try {
                proceed()
            } catch (e: Throwable) {
                call.attributes[served].failed(e)
                throw e
            }
        }
        pipeline.sendPipeline.intercept(ApplicationSendPipeline.After) { content -> mark(call, content) }
    }

    private fun mark(call: ApplicationCall, content: Any) {
        val body = content as? OutgoingContent
        val status = body?.status ?: call.response.status() ?: return
        if (call.attributes.getOrNull(served)?.isRetriedBelow(status.value) != true) return
        // A response that is passed on brings its headers with its body.
        val isSet = listOfNotNull(call.response.headers.allValues(), body?.headers).any { SHOULD_RETRY in it }
        if (!isSet) call.response.headers.append(SHOULD_RETRY, "false")
    }
}

/** The configuration of [RetryUpstream]. */
@KtorDsl
public class RetryUpstreamConfig internal constructor() {
    /**
     * Called with each request's upstream, for instance for a metric of requests by the number of their attempt; `null`
     * for none.
     */
    public var onRequest: Consumer<Upstream>? = null
}
