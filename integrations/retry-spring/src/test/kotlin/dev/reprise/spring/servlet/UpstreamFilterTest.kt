package dev.reprise.spring.servlet

import dev.reprise.core.RetryPolicy
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
import org.springframework.mock.web.MockHttpServletRequest
import org.springframework.mock.web.MockHttpServletResponse
import java.net.ConnectException

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

        test("what was given up before a call that succeeded is not told") {
            respond(1) {
                callDead()
                RETRIER.call<Any?, Exception> { "alive" }
                it.status = 503
            }.getHeader("x-should-retry") shouldBe null
        }

        test("an exception that leaves the application says so only if a retrier gave up on it") {
            for ((isGivenUp, header) in mapOf(true to "false", false to null)) {
                val response = MockHttpServletResponse()
                shouldThrow<ServletException> {
                    UpstreamFilter().doFilter(
                        MockHttpServletRequest(),
                        response,
                        FilterChain { _, _ ->
                            val failure = if (isGivenUp) givenUp() else ConnectException()
                            throw ServletException(failure)
                        },
                    )
                }
                response.getHeader("x-should-retry") shouldBe header
            }
        }

        test("the thread serves no request afterwards") {
            respond(2) { }

            callDead() shouldBe 3
        }
    })
