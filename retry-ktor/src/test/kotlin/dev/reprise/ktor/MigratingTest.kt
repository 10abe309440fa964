@file:Suppress("ktlint:standard:no-wildcard-imports")
@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.EngineErrors
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.TransportErrors
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.plugins.*
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.http.cio.ParserException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.security.cert.CertificateException
import java.util.zip.DataFormatException
import javax.net.ssl.SSLHandshakeException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** What those expect who come from HttpRequestRetry, with all of Ktor's plugins imported beside ours. */
class MigratingTest :
    FunSpec({
        test("408 and 425 are retried where that is safe") {
            for (status in listOf(408, 425)) {
                runTest {
                    val client = MockClient(this, handler = answering(status))
                    client.http.get("http://localhost/").retryReport.attempts shouldBe 3
                    client.http.post("http://localhost/").retryReport.attempts shouldBe 1
                }
            }
        }

        virtual("noRetry holds in whatever order a request says it") {
            val client = MockClient(this, handler = answering(503))
            client.http.get("http://localhost/") {
                noRetry()
                retryPolicy { maxAttempts = 3 }
            }
            client.http.get("http://localhost/") {
                retryPolicy(RetryPolicy { maxAttempts = 3 })
                noRetry()
            }

            client.requests shouldHaveSize 2
        }

        virtual("a hook sees cause or response before each wait, and no other end") {
            val seen = mutableListOf<Triple<Any?, Long, Duration>>()
            val client = MockClient(
                this,
                handler = scripted(status(503), failing { IOException("reset") }, status(503)),
            ) {
                beforeRetry { seen += Triple(it.response?.status?.value ?: it.cause?.message, currentTime, it.delay) }
            }

            client.http.get("http://localhost/")

            seen shouldBe listOf(Triple(503, 0L, 50.milliseconds), Triple("reset", 50L, 100.milliseconds))
        }

        virtual("the errors of the engines are known to retriers that the user brings") {
            var requests = 0
            val http = HttpClient(MockEngine) {
                engine {
                    addHandler {
                        requests++
                        error("Content-Length mismatch: expected 10 bytes, but received 5 bytes")
                    }
                }
                install(Retry) { retriers = RetrierCache(1) { Retrier(RetryPolicy { quota = null }) } }
            }

            runCatching { http.get("http://localhost/") }

            requests shouldBe 3
        }

        test("a certificate that is not trusted is final, an unreadable response is not, on every engine") {
            val rules = EngineErrors or TransportErrors
            for (failure in listOf(
                CertificateException("unknown"),
                SSLHandshakeException("PKIX").apply { initCause(CertificateException("unknown")) },
                IOException(SSLHandshakeException("PKIX").apply { initCause(CertificateException("unknown")) }),
            )) {
                withClue(failure) { rules.classifyFailure(failure) shouldBe Verdict.Reject }
            }
            for (failure in listOf(
                ParserException("Failed to parse version"),
                DataFormatException("invalid block"),
                IllegalStateException("GZIP magic invalid: 0"),
                SSLHandshakeException("closed"),
                IOException("HTTP/1.1 header parser received no bytes"),
            )) {
                withClue(failure) { rules.classifyFailure(failure).shouldBeInstanceOf<Verdict.Retry>() }
            }
        }

        virtual("a Retry-After with a fraction is followed") {
            val client = MockClient(this, handler = scripted(status(503, "", "Retry-After" to "1.5"), status(200)))
            client.http.get("http://localhost/").retryReport.reason shouldBe StopReason.SUCCESS
            client.delays shouldBe listOf(1_500.milliseconds)
        }
    })
