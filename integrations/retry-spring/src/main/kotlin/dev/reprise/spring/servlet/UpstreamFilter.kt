package dev.reprise.spring.servlet

import dev.reprise.core.classify.ShouldRetry
import dev.reprise.core.layers.ServedRequest
import dev.reprise.core.layers.Upstream
import dev.reprise.coroutines.Retrier
import jakarta.servlet.FilterChain
import jakarta.servlet.http.HttpServletRequest
import jakarta.servlet.http.HttpServletResponse
import jakarta.servlet.http.HttpServletResponseWrapper
import org.springframework.web.filter.OncePerRequestFilter

/**
 * Keeps the attempts of several services from multiplying. A call that is made on the thread of a request which is itself a retry
 * makes one attempt; a response of 500 or more that tells of a failure on which a retrier gave up says `x-should-retry: false`.
 *
 * Calls that a request makes on other threads are not seen. Thread-safe.
 */
public class UpstreamFilter : OncePerRequestFilter() {
    /** Serves the request in this filter again when it is dispatched asynchronously. */
    override fun shouldNotFilterAsyncDispatch(): Boolean = false

    override fun doFilterInternal(
        request: HttpServletRequest,
        response: HttpServletResponse,
        filterChain: FilterChain,
    ) {
        val served = request.getAttribute(SERVED) as ServedRequest?
            ?: ServedRequest(Upstream.read { request.getHeader(it) }, Retrier.SYSTEM_CLOCK)
        request.setAttribute(SERVED, served)
        try {
            served.open().use { filterChain.doFilter(request, MarkedResponse(response, served)) }
        } catch (e: Throwable) {
            served.failed(e)
            if (!response.isCommitted) mark(response, served, HttpServletResponse.SC_INTERNAL_SERVER_ERROR)
            throw e
        }
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
    }

    private companion object {
        const val SERVED = "dev.reprise.served"

        fun mark(response: HttpServletResponse, served: ServedRequest, status: Int) {
            if (served.isRetriedBelow(status)) response.setHeader(ShouldRetry.HEADER, "false")
        }
    }
}
