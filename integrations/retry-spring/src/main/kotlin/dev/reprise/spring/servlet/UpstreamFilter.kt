package dev.reprise.spring.servlet

import dev.reprise.core.Upstream
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.core.shell.values.readUpstream
import dev.reprise.coroutines.Retrier
import dev.reprise.spring.SpringErrors
import jakarta.servlet.FilterChain
import jakarta.servlet.http.HttpServletRequest
import jakarta.servlet.http.HttpServletResponse
import jakarta.servlet.http.HttpServletResponseWrapper
import org.springframework.web.filter.OncePerRequestFilter
import java.util.function.Consumer

/**
 * Keeps the attempts of several services from multiplying. A call on the thread of a request that is itself a retry
 * makes one attempt. A response of 500 or more after a failure on which a retrier gave up says `x-should-retry: false`, unless
 * the handler has set that header.
 *
 * Calls that a request makes on other threads are not seen. Thread-safe.
 */
public class UpstreamFilter(private val onRequest: Consumer<Upstream>?) : OncePerRequestFilter() {
    /** A filter that tells nothing of the requests. */
    public constructor() : this(null)

    /** Serves the request in this filter again when it is dispatched asynchronously. */
    override fun shouldNotFilterAsyncDispatch(): Boolean = false

    override fun doFilterInternal(
        request: HttpServletRequest,
        response: HttpServletResponse,
        filterChain: FilterChain,
    ) {
        val served = request.getAttribute(SERVED) as ServedRequest? ?: begin(request)
        try {
            served.open().use { filterChain.doFilter(request, MarkedResponse(response, served)) }
        } catch (e: Throwable) {
            SpringErrors.report(e, served)
            if (!response.isCommitted) mark(response, served, HttpServletResponse.SC_INTERNAL_SERVER_ERROR)
            throw e
        }
    }

    private fun begin(request: HttpServletRequest): ServedRequest {
        val upstream = readUpstream { request.getHeader(it) }
        onRequest?.accept(upstream)
        return ServedRequest(upstream, Retrier.SYSTEM_CLOCK).also { request.setAttribute(SERVED, it) }
    }

    /** A response whose status may say that a retrier has given up; decided when that is set, since it may be sent then. */
    private class MarkedResponse(private val below: HttpServletResponse, private val served: ServedRequest) :
        HttpServletResponseWrapper(below) {
        override fun setStatus(sc: Int) {
            mark(below, served, sc)
            super.setStatus(sc)
        }

        override fun sendError(sc: Int) {
            mark(below, served, sc)
            super.sendError(sc)
        }

        override fun sendError(sc: Int, msg: String?) {
            mark(below, served, sc)
            super.sendError(sc, msg)
        }

        /** Spring adds a handler's headers after the status: the handler's own value counts, alone. */
        override fun addHeader(name: String, value: String?) {
            val isMark = name.equals(SHOULD_RETRY, ignoreCase = true)
            if (isMark) super.setHeader(name, value) else super.addHeader(name, value)
        }
    }
}

private const val SERVED = "dev.reprise.served"

private fun mark(response: HttpServletResponse, served: ServedRequest, status: Int) {
    if (served.isRetriedBelow(status) && !response.containsHeader(SHOULD_RETRY)) {
        response.setHeader(SHOULD_RETRY, "false")
    }
}
