@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpRequestTimeoutException
import io.ktor.client.request.get
import io.ktor.client.request.post
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.runTest
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** How this plugin differs from Ktor's own: the rows of the first table of the guide. */
class ComparisonTest :
    FunSpec({
        virtual("POST: repeated before, not after") {
            val before = KtorsOwn(answering(503, 200))
            val after = MockClient(this, handler = answering(503, 200))

            before.http.post(URL).status.value shouldBe 200
            after.http.post(URL).status.value shouldBe 503
        }

        virtual("429: final before, a throttle after") {
            val before = KtorsOwn(answering(429, 200))
            val after = MockClient(this, handler = answering(429, 200))

            before.http.get(URL).status.value shouldBe 429
            after.http.get(URL).status.value shouldBe 200
            after.delays shouldBe listOf(1.seconds)
        }

        virtual("Retry-After: any number of seconds before, up to a bound after") {
            val tomorrow = scripted(status(503, "", "Retry-After" to "86400"), status(200))
            val before = KtorsOwn(tomorrow)
            before.http.get(URL)
            before.waits shouldBe listOf(86_400_000L)

            val after = MockClient(this, handler = status(503, "", "Retry-After" to "86400"))
            after.http.get(URL).retryReport.attempts shouldBe 1
        }

        test("Retry-After as a date: not understood before, followed after") {
            follows(
                25.seconds,
                "Date" to "Tue, 14 Nov 2023 22:13:20 GMT",
                "Retry-After" to "Tue, 14 Nov 2023 22:13:45 GMT",
            )
        }

        virtual("more than 20 sends: as many as asked for before, refused after unless HttpSend is told") {
            val before = KtorsOwn(answering(503)) {
                maxRetries = 30
                constantDelay(1, 0)
            }
            before.http.get(URL)
            before.requests shouldBe 31

            shouldThrow<IllegalArgumentException> {
                HttpClient(MockEngine { respond("") }) { install(Retry) { policy = RetryPolicy { maxAttempts = 31 } } }
            }
        }

        test("x-amz-retry-after: not understood before, followed after") {
            follows(1_500.milliseconds, "x-amz-retry-after" to "1500")
        }

        virtual("timeouts: final before unless retryOnTimeout, retried after unless rejected") {
            val slow = { failing { HttpRequestTimeoutException(URL, 1) } }
            val before = KtorsOwn(slow())
            shouldThrow<HttpRequestTimeoutException> { before.http.get(URL) }
            before.requests shouldBe 1

            val after = MockClient(this, handler = slow())
            shouldThrow<HttpRequestTimeoutException> { after.http.get(URL) }
            after.requests.size shouldBe 3

            val rejecting = RetryPolicy { rejectOn(HttpRequestTimeoutException::class.java) }
            val final = MockClient(this, rejecting, handler = slow())
            shouldThrow<HttpRequestTimeoutException> { final.http.get(URL) }
            final.requests.size shouldBe 1
        }
    })

/** Ktor's own plugin waits its own millisecond where a server sends [headers]; ours waits [delay]. */
private fun follows(delay: Duration, vararg headers: Pair<String, String>) = runTest {
    val before = KtorsOwn(scripted(status(503, "", *headers), status(200))) { constantDelay(1, 0) }
    before.http.get(URL)
    before.waits shouldBe listOf(1L)

    val after = MockClient(this, handler = scripted(status(503, "", *headers), status(200)))
    after.http.get(URL)
    after.delays shouldBe listOf(delay)
}
