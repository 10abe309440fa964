@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.plugins.HttpRequestRetryEvent
import io.ktor.client.request.get
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.TestScope
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private fun TestScope.retrying(policy: RetryPolicy, handler: Handler) = MockClient(this, policy, handler = handler)

/** Each option of Ktor's own plugin and what it is here: the rows of the second table of the guide. */
class MigrationTest :
    FunSpec({
        virtual("maxRetries = 3 is maxAttempts = 4") {
            val before = KtorsOwn(answering(503)) { maxRetries = 3 }
            before.http.get(URL)
            before.requests shouldBe 4

            val after = retrying(RetryPolicy { maxAttempts = 4 }, answering(503))
            after.http.get(URL).retryReport.attempts shouldBe 4
        }

        virtual("retryOnServerErrors is a rule for every 5xx") {
            KtorsOwn(answering(507, 200)) { retryOnServerErrors(3) }.http.get(URL).status.value shouldBe 200

            val policy = RetryPolicy { onResponse { if (it.status.value in 500..599) Verdict.TRANSIENT else null } }
            retrying(policy, answering(507, 200)).http.get(URL).status.value shouldBe 200
        }

        virtual("retryIf is onResponse") {
            KtorsOwn(answering(202, 200)) { retryIf(3) { _, response -> response.status.value == 202 } }
                .http.get(URL).status.value shouldBe 200

            val policy = RetryPolicy { onResponse { if (it.status.value == 202) Verdict.TRANSIENT else null } }
            retrying(policy, answering(202, 200)).http.get(URL).status.value shouldBe 200
        }

        virtual("retryOnExceptionIf is onFailure") {
            val broken = scripted(failing { IllegalStateException("odd") }, status(200))
            KtorsOwn(broken) { retryOnExceptionIf(3) { _, cause -> cause.message == "odd" } }
                .http.get(URL).status.value shouldBe 200

            val again = scripted(failing { IllegalStateException("odd") }, status(200))
            val policy = RetryPolicy { onFailure { if (it.message == "odd") Verdict.TRANSIENT else null } }
            retrying(policy, again).http.get(URL).status.value shouldBe 200
        }

        virtual("constantDelay is a fixed backoff") {
            val before = KtorsOwn(answering(503, 503, 200)) { constantDelay(1_000, 0) }
            before.http.get(URL)
            before.waits shouldBe listOf(1_000L, 1_000L)

            val policy = RetryPolicy { backoff = Backoff.fixed(1.seconds) }
            val after = retrying(policy, answering(503, 503, 200))
            after.http.get(URL)
            after.delays shouldBe listOf(1.seconds, 1.seconds)
        }

        virtual("exponentialDelay is an exponential backoff, whose cap holds with the jitter too") {
            val before = KtorsOwn(answering(503)) {
                maxRetries = 3
                exponentialDelay(baseDelayMs = 1_000, maxDelayMs = 2_000, randomizationMs = 1_000)
            }
            repeat(20) { before.http.get(URL) }
            before.waits.any { it > 2_000 } shouldBe true

            val backoff = Backoff.exponential(base = 1.seconds, cap = 2.seconds, jitter = Jitter.EQUAL)
            val policy = RetryPolicy {
                maxAttempts = 4
                this.backoff = backoff
            }
            val after = retrying(policy, answering(503))
            after.http.get(URL)
            after.delays shouldBe listOf(1.seconds, 2.seconds, 2.seconds)
        }

        virtual("delayMillis is a custom backoff") {
            val before = KtorsOwn(answering(503, 503, 200)) { delayMillis { retry -> retry * 300L } }
            before.http.get(URL)
            before.waits shouldBe listOf(300L, 600L)

            val policy = RetryPolicy { backoff = Backoff.custom { retry -> 300.milliseconds * (retry.retryIndex + 1) } }
            val after = retrying(policy, answering(503, 503, 200))
            after.http.get(URL)
            after.delays shouldBe listOf(300.milliseconds, 600.milliseconds)
        }

        virtual("respectRetryAfterHeader = false is an empty list of server delays") {
            val asked = { scripted(status(503, "", "Retry-After" to "30"), status(200)) }
            val before = KtorsOwn(asked()) { constantDelay(50, 0, respectRetryAfterHeader = false) }
            before.http.get(URL)
            before.waits shouldBe listOf(50L)

            val after = retrying(RetryPolicy { serverDelays = emptyList() }, asked())

            after.http.get(URL)

            after.delays shouldBe listOf(50.milliseconds)
        }

        virtual("modifyRequest is eachAttempt, which sees the first attempt too") {
            val seen = mutableListOf<String?>()
            val answers = answering(503, 200)
            val before = KtorsOwn({
                seen += it.headers["X-Retry"]
                answers(it)
            }) { modifyRequest { request -> request.headers["X-Retry"] = "$retryCount" } }
            before.http.get(URL)
            seen shouldBe listOf(null, "1")

            val after = MockClient(this, handler = answering(503, 200)) {
                eachAttempt { attempt -> headers["X-Retry"] = "${attempt.number - 1}" }
            }

            after.http.get(URL)

            after.requests.map { it.headers["X-Retry"] } shouldBe listOf("0", "1")
        }

        virtual("noRetry is a policy of one attempt") {
            val before = KtorsOwn(answering(503)) { noRetry() }
            before.http.get(URL)
            before.requests shouldBe 1

            retrying(RetryPolicy.NONE, answering(503)).http.get(URL).retryReport.attempts shouldBe 1
        }

        virtual("HttpRequestRetryEvent is a listener") {
            val before = KtorsOwn(answering(503, 200))
            val retries = mutableListOf<Int>()
            before.http.monitor.subscribe(HttpRequestRetryEvent) { retries += it.retryCount }
            before.http.get(URL)
            retries shouldBe listOf(1)

            val after = MockClient(this, handler = answering(503, 200))

            after.http.get(URL)

            after.delays shouldBe listOf(50.milliseconds)
        }
    })
