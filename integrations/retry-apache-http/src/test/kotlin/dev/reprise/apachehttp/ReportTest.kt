package dev.reprise.apachehttp

import dev.reprise.build.logged
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.Hedge
import dev.reprise.core.OnBadResult
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.java.JavaRetrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.hc.core5.http.HttpVersion
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.util.zip.GZIPOutputStream
import kotlin.time.Duration.Companion.seconds

private val DENIED = """{"__type": "com.example#SlowDown", "message": "later"}"""

/** A 400 whose body is packed. */
private val PACKED = Reply { connection ->
    val body = ByteArrayOutputStream().also { out -> GZIPOutputStream(out).use { it.write(DENIED.toByteArray()) } }
    val head = "HTTP/1.1 400 Bad\r\nContent-Encoding: gzip\r\nContent-Length: ${body.size()}\r\n\r\n"
    connection.getOutputStream().apply {
        write(head.toByteArray())
        write(body.toByteArray())
        flush()
    }
    true
}

/** What a response, a listener and another layer learn of a call. */
@OptIn(ExperimentalReprise::class)
class ReportTest :
    FunSpec({
        test("a first try has no report of its own, and its version is as it was") {
            FaultServer(Fault.NONE).use { server ->
                quickly().client().use { client ->
                    client.execute(request("GET", server.uri())) {
                        it.retryReport shouldBe RetryReport.FIRST_TRY
                        it.version shouldBe HttpVersion.HTTP_1_1
                    }
                }
            }
        }

        test("a response tells attempts, requests and why there were no more, also through the client's wrapper") {
            FaultServer(Fault.UNAVAILABLE, Fault.NONE).use { server ->
                quickly().client().use { client ->
                    client.execute(request("GET", server.uri())) {
                        it.retryReport.attempts shouldBe 2
                        it.retryReport.requests shouldBe 2
                        it.retryReport.reason shouldBe StopReason.SUCCESS
                        it.version shouldBe HttpVersion.HTTP_1_1
                    }
                }
            }
            FaultServer(Fault.UNAVAILABLE).use { server ->
                quickly().client().use { client ->
                    val got = client.get(server)
                    got.status shouldBe 503
                    got.body shouldBe Fault.BODY
                    got.report.reason shouldBe StopReason.ATTEMPTS
                    got.report.trace!!.attempts shouldBe 3
                }
            }
        }

        test("a retrier around the client leaves alone what the client gave up on") {
            FaultServer(Fault.UNAVAILABLE).use { server ->
                quickly().client().use { client ->
                    val outer = JavaRetrier.of(quickPolicy { onResult { Verdict.TRANSIENT } })
                    outer.call<Any, Exception> {
                        client.executeOpen(null, request("GET", server.uri()), null).also { it.close() }
                    }
                    server.requests().size shouldBe 3
                }
            }
        }

        test("Retry-After is honoured, and a wait beyond the deadline does not begin") {
            FaultServer(Replies.status(503, "", "Retry-After: 30")).use { server ->
                quickly { deadline = 10.seconds }.client().use { client ->
                    client.get(server).report.reason shouldBe StopReason.DEADLINE
                    server.requests().size shouldBe 1
                }
            }
        }

        test("each host and port has a quota of its own, unless one retrier is given to all") {
            val oneRetry = RetryPolicy.HTTP.with {
                noBackoff()
                quota = TokenBucketSettings { capacity(14) }
            }
            val ofHosts = ApacheRetries.builder().policy(oneRetry).build()
            val ofAll = ApacheRetries.of(JavaRetrier.of(oneRetry))
            for ((retries, ofTheOther) in listOf(ofHosts to 2, ofAll to 1)) {
                FaultServer(Fault.UNAVAILABLE).use { first ->
                    FaultServer(Fault.UNAVAILABLE).use { other ->
                        retries.client().use { client ->
                            val attempts = listOf(first, first, other).map { client.get(it).report.attempts }
                            attempts shouldBe listOf(2, 1, ofTheOther)
                        }
                    }
                }
            }
        }

        test("a response that is thrown instead of returned keeps no connection") {
            FaultServer(Replies.endless(503)).use { server ->
                val throwing = quickly {
                    maxAttempts = 1
                    onBadResult = OnBadResult.THROW
                }
                throwing.client(most = 1).use { client ->
                    repeat(2) {
                        val thrown = shouldThrow<IOException> { client.get(server) }
                        (thrown.cause is RetryStoppedException) shouldBe true
                    }
                }
            }
        }

        test("a policy whose hedge sends no copies here is told once") {
            FaultServer(Fault.NONE).use { server ->
                quickly { hedge = Hedge.after(1.seconds) }.client().use { client ->
                    val told = logged("dev.reprise") { repeat(2) { client.get(server).body shouldBe Fault.BODY } }
                    told.map { it.message } shouldBe
                        listOf("a policy has a hedge, and the classic client of Apache sends no copies")
                }
            }
        }

        test("a failure's code is read from its body, packed or not, and the caller still reads it whole") {
            for (reply in listOf(Replies.status(400, DENIED), PACKED)) {
                FaultServer(reply).use { server ->
                    val outcomes = mutableListOf<ApacheOutcome>()
                    val policy = quickPolicy {
                        maxAttempts = 2
                        onResult {
                            outcomes += it as ApacheOutcome
                            if (it.errorCode == "SlowDown") Verdict.THROTTLING else null
                        }
                    }
                    val retries = ApacheRetries.builder().policy(policy).errorBodyBytes(1_000).build()
                    retries.client().use { client ->
                        client.get(server).body shouldBe DENIED
                        server.requests().size shouldBe 2
                        outcomes.first().errorMessage shouldBe "later"
                        outcomes.first().body?.decodeToString() shouldBe DENIED.takeIf { reply !== PACKED }
                        server.connections() shouldBe 1
                    }
                }
            }
        }

        test("a failure's body that breaks off is judged by its status, and breaks in the caller's hands") {
            FaultServer(Replies.cutAfter(503, "a part")).use { server ->
                val retries = ApacheRetries.builder().policy(quickPolicy()).errorBodyBytes(1_000).build()
                retries.client().use { client ->
                    shouldThrow<IOException> { client.get(server) }
                    server.requests().size shouldBe 3
                }
            }
        }

        test("retriers that a user brings refuse a policy beside them") {
            val own = JavaRetrier.of(RetryPolicy.HTTP)
            shouldThrow<IllegalArgumentException> {
                ApacheRetries.builder().retriers { _, _ -> own }.policy(RetryPolicy.NONE).build()
            }
        }
    })
