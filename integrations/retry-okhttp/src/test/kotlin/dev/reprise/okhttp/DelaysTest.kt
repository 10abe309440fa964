package dev.reprise.okhttp

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaWaiter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.seconds

/** Notes waits instead of waiting. */
internal class NotingWaiter : JavaWaiter {
    val millis = CopyOnWriteArrayList<Long>()

    override fun await(duration: Duration) {
        if (Thread.interrupted()) throw InterruptedException()
        millis += duration.toMillis()
    }

    override fun after(duration: Duration, task: Runnable): Runnable {
        millis += duration.toMillis()
        thread { task.run() }
        return Runnable {}
    }
}

class DelaysTest :
    FunSpec({
        for (face in Face.entries) {
            test("$face: both retry-after headers are followed") {
                val replies = arrayOf(
                    status(503, "", "Retry-After: 7"),
                    status(500, "", "x-amz-retry-after: 1500"),
                    status(200, "there"),
                )
                RawServer(*replies).use { server ->
                    val waiter = NotingWaiter()
                    val retrier = JavaRetrier.builder().policy(quickPolicy()).waiter(waiter).build()

                    face.send(face.calls(OkHttpRetries.of(retrier)).newCall(request(server.url))).use {
                        it.retryReport.attempts shouldBe 3
                        it.retryReport.totalDelay shouldBe 8.5.seconds
                    }

                    waiter.millis shouldContainExactly listOf(7_000, 1_500)
                }
            }

            test("$face: the last response comes with its body, a report and a trace") {
                RawServer(status(503, "why")).use { server ->
                    face.send(face.calls(quickly()).newCall(request(server.url))).use {
                        "${it.code} ${it.body.string()}" shouldBe "503 why"
                        it.retryReport.attempts shouldBe 3
                        it.retryReport.reason shouldBe StopReason.ATTEMPTS
                        it.retryReport.trace.shouldNotBeNull().failures.size shouldBe 3
                    }
                }
            }

            test("$face: the first value of a header counts; the search for an error code is bounded") {
                val far = status(400, "x".repeat(600) + "\"code\":\"ThrottlingException\"")
                val near = status(400, "{\"code\":\"ThrottlingException\"}", "x-a: 1", "x-a: 2")
                val retries = OkHttpRetries.builder().policy(quickPolicy()).errorBodyBytes(512).build()
                fun attempts(reply: Reply) = RawServer(reply).use { server ->
                    face.send(face.calls(retries).newCall(request(server.url))).use {
                        it.body.string().length shouldBe (reply as Reply.Raw).text.substringAfter("\r\n\r\n").length
                        OkHttpOutcome(it, BodyPeek.of(RetryPolicy.HTTP.classifier, 0)).header("X-A") to
                            it.retryReport.attempts
                    }
                }

                attempts(near) shouldBe ("1" to 3)
                attempts(far) shouldBe (null to 1)
            }

            test("$face: amz headers tell the attempts of a call apart") {
                RawServer(status(503), status(503), status(200)).use { server ->
                    val retries = OkHttpRetries.builder().policy(quickPolicy()).amzHeaders(true).build()
                    face.send(face.calls(retries).newCall(request(server.url))).close()

                    server.requests.map { it.headers["amz-sdk-request"] } shouldBe
                        List(3) { "attempt=${it + 1}; max=3" }
                    server.requests.mapNotNull { it.headers["amz-sdk-invocation-id"] }.toSet().size shouldBe 1
                }
            }

            test("$face: the retrier of a host is called by host and port") {
                RawServer(status(200)).use { server ->
                    val told = mutableSetOf<String?>()
                    val retries = OkHttpRetries.builder().listener { told += it.retrier }.build()
                    face.send(face.calls(retries).newCall(request(server.url))).close()
                    told shouldBe setOf(server.url.substringAfter("//").substringBefore('/'))
                }
            }

            test("$face: hosts have quotas of their own, one retrier has one for all") {
                RawServer(status(503)).use { server ->
                    val twin = RawServer(status(503))
                    twin.use {
                        fun attempts(retries: OkHttpRetries): List<Int> {
                            val calls = face.calls(retries)
                            return (List(60) { server.url } + twin.url).map { url ->
                                face.send(calls.newCall(request(url))).use { it.retryReport.attempts }
                            }
                        }
                        val own = attempts(quickly())
                        own[0] shouldBe 3
                        own[59] shouldBe 1
                        own[60] shouldBe 3
                        attempts(OkHttpRetries.of(JavaRetrier.of(quickPolicy())))[60] shouldBe 1
                    }
                }
            }
        }

        test("what may be repeated follows from method, key, tag and body") {
            val methods = Arb.element("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "POST", "PATCH", "X")
            checkAll(methods, Arb.boolean(), Arb.boolean(), Arb.enum<Repeat>().orNull()) {
                    method,
                    hasKey,
                    isOneShot,
                    asked,
                ->
                val takesBody = method in setOf("PUT", "POST", "PATCH", "X")
                val body = if (!takesBody) {
                    null
                } else if (isOneShot) {
                    OneShot("x")
                } else {
                    "x".toRequestBody()
                }
                val request = Request.Builder().url("http://localhost/").method(method, body)
                if (hasKey) request.header("K", "1")
                val retries = OkHttpRetries.builder().idempotencyKeys(setOf("k")).build()
                fun repeat() = retries.callOf(request.build()).options.repeat

                val byMethod = hasKey || method !in setOf("POST", "PATCH", "X")
                val isGone = takesBody && isOneShot
                val unsaid = if (byMethod && !isGone) Repeat.SAFE else Repeat.IF_UNSENT
                repeat() shouldBe unsaid

                request.callOptions(CallOptions("op").with { repeat = asked })
                repeat() shouldBe if (asked == Repeat.SAFE && isGone) Repeat.IF_UNSENT else asked ?: unsaid
            }
        }
    })
