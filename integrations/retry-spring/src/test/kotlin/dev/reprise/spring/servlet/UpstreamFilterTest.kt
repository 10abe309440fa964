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

/** Calls a service that is never there. Returns how often it was called. */
private fun callDead(): Int {
    var calls = 0
    shouldThrow<ConnectException> {
        RETRIER.call<Any?, Exception> {
            calls++
            throw ConnectException()
        }
    }
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

        test("a failure that no retrier gave up on is not marked") {
            respond(1) { it.status = 503 }.getHeader("x-should-retry") shouldBe null
        }

        test("the thread serves no request afterwards") {
            respond(2) { }

            callDead() shouldBe 3
        }
    })
