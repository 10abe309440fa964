@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.ErrorTable
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.ResponseException
import io.ktor.client.plugins.sse.SSEClientException
import io.ktor.client.request.get
import io.ktor.http.Headers
import io.ktor.http.HttpStatusCode
import io.ktor.http.toHttpDate
import io.ktor.util.date.GMTDate
import io.ktor.util.date.plus
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import java.io.IOException
import java.net.ConnectException
import java.util.concurrent.ExecutionException
import kotlin.time.Duration.Companion.seconds

private class Status(override val status: Int) : HttpOutcome() {
    override fun header(name: String): String? = null
}

private fun failing(status: Int, vararg headers: Pair<String, String>, count: () -> Unit = {}) = HttpClient(
    MockEngine {
        count()
        respond("", HttpStatusCode.fromValue(status), Headers.build { headers.forEach { append(it.first, it.second) } })
    },
) { expectSuccess = true }

class ThrownResponsesTest :
    FunSpec({
        test("around a client that throws responses, every status is judged as the standard table judges a response") {
            val policies = Arb.element(RetryPolicy.STANDARD, RetryPolicy.ANY_EXCEPTION)
            checkAll(100, Arb.int(400..599), policies) { status, policy ->
                runTest {
                    var requests = 0
                    val client = failing(status) { requests++ }
                    val retrier = Retrier(policy.with { classifyFirst(KtorErrors) })
                    shouldThrow<ResponseException> { retrier { client.get("http://one/") } }
                    requests shouldBe if (ErrorTable.STANDARD.classifyResult(Status(status)) is Verdict.Retry) 3 else 1
                }
            }
        }

        virtual("the response that a stream of events was refused with is read, a broken one is judged by its cause") {
            val refused = failing(503, "Retry-After" to "7").config { expectSuccess = false }.get("http://one/")
            val retrier = Retrier(RetryPolicy.HTTP.with { classifyFirst(KtorErrors) })
            var attempts = 0
            retrier { if (++attempts < 3) throw SSEClientException(refused) else "events" } shouldBe "events"
            currentTime shouldBe 14_000
            val good = failing(200).get("http://one/")
            KtorErrors.responseOf(SSEClientException(good, IOException("reset"))) shouldBe null
            attempts = 0
            retrier {
                if (++attempts < 3) throw SSEClientException(good, ConnectException("lost")) else "events"
            } shouldBe "events"
        }

        virtual("a Retry-After that is a date is counted from when the response came") {
            val client = failing(503, "Retry-After" to (GMTDate() + 30.seconds).toHttpDate())
            val retrier = Retrier(RetryPolicy.HTTP.with { classifyFirst(KtorErrors) })
            shouldThrow<ResponseException> { retrier { client.get("http://one/") } }
            (currentTime in 40_000..60_000) shouldBe true
        }

        virtual("Retry-After is followed, and an exception that another one wraps is read too") {
            val client = failing(503, "Retry-After" to "7")
            val retrier = Retrier(RetryPolicy.HTTP.with { classifyFirst(KtorErrors) })
            shouldThrow<ExecutionException> {
                retrier {
                    try {
                        client.get("http://one/")
                    } catch (e: ResponseException) {
                        throw ExecutionException(e)
                    }
                }
            }
            (currentTime >= 14_000) shouldBe true
        }
    })
