package dev.reprise.spring.server

import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.core.shell.values.readUpstream
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.asContextElement
import dev.reprise.reactor.serving
import dev.reprise.spring.SpringErrors
import kotlinx.coroutines.Dispatchers
import org.springframework.core.PropagationContextElement
import org.springframework.http.server.reactive.ServerHttpResponse
import org.springframework.web.server.CoWebFilter
import org.springframework.web.server.ServerWebExchange
import org.springframework.web.server.WebFilter
import org.springframework.web.server.WebFilterChain
import reactor.core.publisher.Hooks
import reactor.core.publisher.Mono
import java.util.function.Consumer
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext

/**
 * Keeps the retries of a WebFlux server and those of its callers from multiplying. As a bean it sees all requests.
 *
 * While a request is served that is a retry itself, as its headers say, each call of a retrier makes one attempt: in
 * `Mono` and `Flux` by the subscriber's context, in `suspend` handlers by the coroutine's. If a retrier gave up, a
 * response of 500 or more says `x-should-retry: false`, unless the handler has set that header. The error that leaves
 * the handler decides; if an `@ExceptionHandler` or the handler responds, the last call that it made decides.
 * Thread-safe.
 */
public class RetryUpstreamWebFilter(private val onRequest: Consumer<Upstream>?) : WebFilter {
    /** A filter that tells nothing of the requests. */
    public constructor() : this(null)

    override fun filter(exchange: ServerWebExchange, chain: WebFilterChain): Mono<Void> {
        val headers = exchange.request.headers
        val upstream = readUpstream { headers.getFirst(it) }
        onRequest?.accept(upstream)
        val request = ServedRequest(upstream, Retrier.SYSTEM_CLOCK)
        val outer = exchange.attributes[CoWebFilter.COROUTINE_CONTEXT_ATTRIBUTE] as CoroutineContext?
        exchange.attributes[CoWebFilter.COROUTINE_CONTEXT_ATTRIBUTE] =
            (outer ?: springsOwn()) + request.asContextElement()
        val response = exchange.response
        response.beforeCommit { Mono.fromRunnable { mark(response, request) } }
        return chain.filter(exchange).doOnError {
            SpringErrors.report(it, request)
        }.contextWrite { it.serving(request) }
    }

    /** The context in which Spring runs a suspending handler if no filter sets one. */
    private fun springsOwn(): CoroutineContext = Dispatchers.Unconfined +
        if (Hooks.isAutomaticContextPropagationEnabled()) PropagationContextElement() else EmptyCoroutineContext

    private fun mark(response: ServerHttpResponse, request: ServedRequest) {
        val status = response.statusCode?.value() ?: return
        val headers = response.headers
        val isMarked = request.isRetriedBelow(status) && !headers.containsHeader(SHOULD_RETRY)
        if (isMarked) headers[SHOULD_RETRY] = "false"
    }
}
