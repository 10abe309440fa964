@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.ktor.client.plugins.ServerResponseException
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.get
import io.ktor.client.request.url
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.currentTime
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private val patient = RetryPolicy.HTTP.with {
    maxAttempts = 5
    backoff = Backoff.fixed(2.seconds)
}

/** What Ktor's own tests hold its plugin to, where no other test of ours does. */
class KtorRetryCasesTest :
    FunSpec({
        virtual("a Retry-After shorter than the backoff's delay does not shorten it") {
            val client = MockClient(
                this,
                patient,
                handler = scripted(
                    status(500, "", "Retry-After" to "30"),
                    status(500),
                    status(500, "", "Retry-After" to "1"),
                    status(200),
                ),
            )

            client.http.get(URL).status.value shouldBe 200

            client.delays shouldBe listOf(30.seconds, 2.seconds, 2.seconds)
        }

        virtual("a request's own policy retries where the client's does not, failures and answers alike") {
            val client = MockClient(
                this,
                RetryPolicy.NONE,
                handler = scripted(
                    failing { IOException("reset") },
                    status(500),
                    failing { IOException("reset") },
                    status(500),
                    status(200),
                ),
            )

            val response = client.http.get(URL) {
                retryPolicy(
                    RetryPolicy.HTTP.with {
                        maxAttempts = 5
                        backoff = Backoff.fixed(123.milliseconds)
                        quota = null
                    },
                )
            }

            response.status.value shouldBe 200
            client.delays shouldBe List(4) { 123.milliseconds }
        }

        virtual("with expectSuccess the last response is thrown, after all attempts") {
            val client = MockClient(this, handler = answering(500, 500, 500, 200), before = { expectSuccess = true })

            shouldThrow<ServerResponseException> { client.http.get(URL) }.response.status.value shouldBe 500

            client.requests shouldHaveSize 3
        }

        virtual("a request whose own context is cancelled in a wait ends at that moment") {
            val client = MockClient(this, patient, handler = failing { IOException("reset") })
            val request = HttpRequestBuilder().apply { url(URL) }
            launch {
                delay(3.seconds)
                request.executionContext.cancel()
            }

            shouldThrow<CancellationException> { client.http.get(request) }

            currentTime shouldBe 3_000
            client.requests shouldHaveSize 2
        }
    })
