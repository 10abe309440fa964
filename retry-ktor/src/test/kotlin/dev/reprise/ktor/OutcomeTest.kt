@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.ktor

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.Crc32Check
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.ktor.client.request.get
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsText
import io.ktor.http.toHttpDate
import io.ktor.util.date.GMTDate
import io.ktor.util.date.plus
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** A response as classifiers, listeners and hooks see it. */
class OutcomeTest :
    FunSpec({
        val throttled = """{"__type": "ThrottlingException", "message": "Rate exceeded"}"""
        val readsGoodBodies = RetryPolicy.HTTP.with { classifyFirst(Crc32Check()) }

        virtual("a Retry-After that is a date is counted from when the response came") {
            val date = (GMTDate() + 30.seconds).toHttpDate()
            val handler = scripted(status(503, "", "Retry-After" to date), status(200))
            val client = MockClient(this, handler = handler)
            client.http.get("http://localhost/")
            client.delays shouldHaveSize 1
            client.delays.single() shouldBeGreaterThan 20.seconds
            client.delays.single() shouldBeLessThanOrEqualTo 30.seconds
        }

        virtual("a good response says no error, whatever its body looks like") {
            val seen = mutableListOf<HttpOutcome>()
            val policy = readsGoodBodies.with {
                onResult {
                    seen += it as HttpOutcome
                    null
                }
            }
            for (status in listOf(200, 299)) {
                val client = MockClient(this, policy, handler = status(status, throttled))
                client.http.get("http://localhost/").bodyAsText() shouldBe throttled
                client.requests shouldHaveSize 1
            }
            seen.map { it.errorCode to it.errorMessage } shouldBe List(2) { null to null }
        }

        virtual("an error's code and message are there for rules, and the code and status stay when it is released") {
            val messages = mutableListOf<String?>()
            val policy = readsGoodBodies.with {
                onResult {
                    messages += (it as HttpOutcome).errorMessage
                    null
                }
            }
            val client = MockClient(this, policy, handler = scripted(status(400, throttled), status(200)))
            client.http.get("http://localhost/")
            messages shouldBe listOf("Rate exceeded", null)
            val failed = client.events.filterIsInstance<RetryEvent.AttemptFailed>().single()
            failed.result.toString() shouldBe "HTTP 400 ThrottlingException"
            KtorOutcome(client.http.get("http://localhost/").call).toString() shouldBe "HTTP 200"
        }

        test("a body is whole if it fits the bytes that are read, and the caller reads all of it in any case") {
            for (length in listOf(0, 9, 10, 11, 100)) {
                runTest {
                    var seen: ByteArray? = null
                    val policy = RetryPolicy.HTTP.with {
                        onResult {
                            seen = (it as HttpOutcome).body
                            null
                        }
                    }
                    val client = MockClient(this, policy, handler = status(400, "x".repeat(length))) {
                        errorBodyBytes = 10
                    }
                    client.http.get("http://localhost/").bodyAsText().length shouldBe length
                    seen?.size shouldBe length.takeIf { it <= 10 }
                }
            }
        }

        virtual("the checksum of a response that is streamed is its reader's affair") {
            val client = MockClient(this, readsGoodBodies, handler = status(200, "body", "x-amz-crc32" to "1"))
            client.http.prepareGet("http://localhost/").execute { it.bodyAsText() shouldBe "body" }
            client.requests shouldHaveSize 1
            runCatching { client.http.get("http://localhost/") }
            client.requests shouldHaveSize 4
        }

        virtual("a hook's notice says which attempt failed, how, and how long the wait is") {
            val notices = mutableListOf<RetryNotice>()
            val client = MockClient(this, handler = answering(503, 200)) { beforeRetry { notices += it } }
            client.http.get("http://localhost/")
            notices.single().run {
                attempt shouldBe 1
                delay shouldBe 50.milliseconds
                toString() shouldBe "attempt 1: $response, next in 50ms"
            }
        }

        virtual("a hook hears nothing of a long poll that the quota refuses, and cannot cut its delay short") {
            val empty = RetryQuota(500).apply { tryTake(500) }
            val client = MockClient(this, quota = empty, handler = answering(503)) { beforeRetry { error("hook") } }
            val options = CallOptions("poll").with { longPolling = true }
            client.http.get("http://localhost/") { callOptions(options) }.status.value shouldBe 503
            client.requests shouldHaveSize 1
            currentTime shouldBe 50
        }

        virtual(
            "a response whose body was left unread for a while leaves no mark on its request, which may be sent again",
        ) {
            for (statuses in listOf(intArrayOf(500), intArrayOf(500, 200))) {
                val response = MockClient(this, handler = answering(*statuses)).http.get("http://localhost/")
                val marks = response.call.attributes.allKeys.map { it.name }
                marks.filter { it == "SkipSaveBody" || it == "RepriseUnsaved" } shouldBe emptyList()
            }
        }
    })
