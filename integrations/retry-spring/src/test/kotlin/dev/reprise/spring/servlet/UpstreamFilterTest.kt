package dev.reprise.spring.servlet

import dev.reprise.core.RetryPolicy
import dev.reprise.core.Upstream
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import jakarta.servlet.FilterChain
import jakarta.servlet.ServletException
import jakarta.servlet.http.HttpServletResponse
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpStatus
import org.springframework.http.server.ServletServerHttpResponse
import org.springframework.mock.web.MockHttpServletRequest
import org.springframework.mock.web.MockHttpServletResponse
import org.springframework.web.client.HttpServerErrorException
import java.net.ConnectException
import java.util.concurrent.CancellationException
import kotlin.time.Duration.Companion.hours

private val RETRIER = JavaRetrier.of(
    RetryPolicy {
        noBackoff()
        noQuota()
    },
)

/** Sends a request that is the caller's attempt of this [number] through the filter to a service that [serve] is. */
private fun respond(number: Int, serve: (HttpServletResponse) -> Unit): MockHttpServletResponse {
    val request = MockHttpServletRequest().apply { addHeader("amz-sdk-request", "attempt=$number; max=9") }
    val response = MockHttpServletResponse()
    UpstreamFilter().doFilter(request, response, FilterChain { _, wrapped -> serve(wrapped as HttpServletResponse) })
    return response
}

/** What a call of a service that is never there ends with. */
private fun givenUp(count: () -> Unit = {}): ConnectException = shouldThrow<ConnectException> {
    RETRIER.call<Any?, Exception> {
        count()
        throw ConnectException()
    }
}

/** What a RestClient throws for a 503 with this [mark]. */
private fun unavailable(mark: String?): HttpServerErrorException {
    val headers = HttpHeaders().apply { mark?.let { set("x-should-retry", it) } }
    return HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE, "", headers, null, null)
}

/** Calls a service that is never there. Returns how often it was called. */
private fun callDead(): Int {
    var calls = 0
    givenUp { calls++ }
    return calls
}

class UpstreamFilterTest :
    FunSpec({
        test("a call that is made for a retry makes one attempt, one for a first attempt as many as its policy says") {
            checkAll(Arb.int(1..9)) { number ->
                var calls = 0
                respond(number) { calls = callDead() }
                calls shouldBe if (number == 1) 3 else 1
            }
        }

        test("a 5xx that tells of a failure on which a retrier gave up says so, any other response does not") {
            checkAll(Arb.int(100..599)) { status ->
                val isFailure = "false".takeIf { status >= 500 }
                respond(1) {
                    callDead()
                    it.status = status
                }.getHeader("x-should-retry") shouldBe isFailure
                respond(1) {
                    callDead()
                    it.sendError(status)
                }.getHeader("x-should-retry") shouldBe isFailure
                respond(1) { it.status = status }.getHeader("x-should-retry") shouldBe null
            }
        }

        test("a handler's own value counts alone, set before the status or added after it") {
            for (own in listOf("true", "false")) {
                respond(1) {
                    callDead()
                    it.setHeader("X-Should-Retry", own)
                    it.sendError(503)
                }.getHeaders("x-should-retry") shouldBe listOf(own)
                respond(1) {
                    callDead()
                    ServletServerHttpResponse(it).use { response ->
                        response.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE)
                        response.headers.set("x-should-retry", own)
                        response.body.write(1)
                    }
                }.getHeaders("x-should-retry") shouldBe listOf(own)
            }
        }

        test("what was given up before a call that succeeded is not told") {
            respond(1) {
                callDead()
                RETRIER.call<Any?, Exception> { "alive" }
                it.status = 503
            }.getHeader("x-should-retry") shouldBe null
        }

        test("an exception that leaves the application says so only if a retrier gave up on it") {
            for ((failure, header) in listOf<Pair<() -> Exception, String?>>(
                { givenUp() } to "false",
                { ConnectException() } to null,
                { unavailable("false") } to "false",
                { unavailable(null) } to null,
            )) {
                val response = MockHttpServletResponse()
                shouldThrow<ServletException> {
                    UpstreamFilter().doFilter(
                        MockHttpServletRequest(),
                        response,
                        FilterChain { _, _ -> throw ServletException(failure()) },
                    )
                }
                response.getHeader("x-should-retry") shouldBe header
            }
        }

        test("the upstream of each request is told once") {
            val seen = mutableListOf<Upstream>()
            val request = MockHttpServletRequest().apply { addHeader("x-envoy-attempt-count", "2") }
            val filter = UpstreamFilter { seen += it }
            repeat(2) { filter.doFilter(request, MockHttpServletResponse(), FilterChain { _, _ -> }) }
            filter.doFilter(MockHttpServletRequest(), MockHttpServletResponse(), FilterChain { _, _ -> })

            seen shouldBe listOf(Upstream(2), Upstream(1))
        }

        test("the thread serves no request afterwards") {
            respond(2) { }

            callDead() shouldBe 3
        }

        test("nor after a handler that was interrupted in a wait, or that ended with an error") {
            val waiting = JavaRetrier.of(RetryPolicy { fixedBackoff(1.hours) })
            shouldThrow<CancellationException> {
                respond(1) {
                    waiting.call<Any?, Exception> {
                        Thread.currentThread().interrupt()
                        throw ConnectException()
                    }
                }
            }
            Thread.interrupted() shouldBe true
            callDead() shouldBe 3
            shouldThrow<StackOverflowError> { respond(2) { throw StackOverflowError() } }
            callDead() shouldBe 3
        }
    })
