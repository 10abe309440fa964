package dev.reprise.samples

import dev.reprise.core.CallOptions
import dev.reprise.core.LoggingListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.ktor.ReplayableContent
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.ktor.idempotent
import dev.reprise.ktor.noRetry
import dev.reprise.ktor.onResponse
import dev.reprise.ktor.retryPolicy
import dev.reprise.ktor.retryReport
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.http.HttpStatusCode
import io.ktor.util.cio.readChannel
import kotlinx.coroutines.test.runTest
import java.nio.file.Files
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds

/** The snippets of the Ktor guide, run. */
class KtorTest :
    FunSpec({
        val url = "https://users.example/7"
        val first503 = { status: Int ->
            var calls = 0
            MockEngine {
                respond("", if (calls++ == 0) HttpStatusCode.fromValue(status) else HttpStatusCode.OK)
            }
        }

        test("with no configuration") {
            runTest {
                val engine = first503(503)
                val logged = mutableListOf<String>()
                val log = { line: String -> logged += line }

                val client = HttpClient(engine) {
                    install(Retry)
                    install(HttpTimeout) { requestTimeoutMillis = 2_000 }
                }

                val report = client.get("https://users.example/7").retryReport
                log("$report")

                logged.single().startsWith("2 attempts, stopped: success, waited ") shouldBe true
            }
        }

        test("configured") {
            runTest {
                val client = HttpClient(first503(423)) {
                    install(Retry) {
                        policy = RetryPolicy.HTTP.with {
                            maxAttempts = 4
                            honourRetryAfter(cap = 30.seconds)
                            onResponse { if (it.status.value == 423) Verdict.TRANSIENT else null }
                        }
                        idempotencyKeys += "X-Request-Key"
                        keyBy { request -> request.url.host }
                        listeners += LoggingListener()
                    }
                }

                client.get(url).retryReport.attempts shouldBe 2
            }
        }

        test("by request") {
            runTest {
                val engine = MockEngine { respond("", HttpStatusCode.ServiceUnavailable) }
                val client = HttpClient(engine) { install(Retry) }

                client.get(url) { retryPolicy { maxAttempts = 1 } }
                client.get(url) { noRetry() }
                client.post(url) { idempotent() }
                client.get(url) { callOptions(CallOptions("poll jobs").with { longPolling = true }) }

                engine.requestHistory.size shouldBe 1 + 1 + 3 + 3
            }
        }

        test("a body that is opened anew") {
            runTest {
                val engine = first503(503)
                val client = HttpClient(engine) { install(Retry) }
                val path = Files.createTempFile("upload", ".txt").apply { writeText("content") }
                val file = path.toFile()

                client.put(url) { setBody(ReplayableContent { file.readChannel() }) }

                engine.requestHistory.size shouldBe 2
                Files.delete(path)
            }
        }
    })
