package dev.reprise.apachehttp

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.apache.hc.client5.http.protocol.HttpClientContext
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.ContentType
import org.apache.hc.core5.http.io.entity.HttpEntities
import java.io.IOException
import java.net.ConnectException
import java.net.URI

private val FAULTS = mapOf(
    "503" to Replies.status(503, "busy"),
    "429" to Replies.status(429, "slow"),
    "500" to Replies.status(500, ""),
    "close" to Replies.hangUp(),
    "reset" to Replies.reset(),
    "garbage" to Replies.raw("no HTTP at all\r\n\r\n", false),
)

private class Case(
    val name: String,
    val mayRepeat: Boolean,
    val context: HttpClientContext? = null,
    val request: (URI) -> ClassicHttpRequest,
)

private val IDEMPOTENT get() = ApacheRetries.context(CallOptions { repeat = Repeat.SAFE })
private val ONCE get() = ApacheRetries.context(CallOptions { repeat = Repeat.NEVER })

private val CASES = listOf(
    Case("GET", true) { request("GET", it) },
    Case("PUT", true) { request("PUT", it, entity("content")) },
    Case("DELETE", true) { request("DELETE", it) },
    Case("POST", false) { request("POST", it, entity("content")) },
    Case("POST without a body", false) { request("POST", it) },
    Case("PATCH", false) { request("PATCH", it, entity("content")) },
    Case("POST with a key", true) {
        request("POST", it, entity("content")).apply { setHeader("idempotency-key", "k") }
    },
    Case("POST said to be safe", true, IDEMPOTENT) { request("POST", it, entity("content")) },
    Case("GET said to be sent once", false, ONCE) { request("GET", it) },
    Case("PUT of a one-shot body", false) { request("PUT", it, oneShot("content")) },
    Case("one-shot POST said to be safe", false, IDEMPOTENT) { request("POST", it, oneShot("content")) },
)

/** What is repeated, and what is not. */
class RepeatTest :
    FunSpec({
        for ((fault, reply) in FAULTS) {
            test("$fault: what may be repeated is, and nothing else is sent twice") {
                for (case in CASES) {
                    FaultServer(reply, Fault.NONE).use { server ->
                        quickly().client().use { client ->
                            val end = runCatching { client.got(case.request(server.uri()), case.context) }
                            withClue("${case.name}: $end") {
                                server.requests().size shouldBe if (case.mayRepeat) 2 else 1
                                server.bodies().toSet().size shouldBe 1
                                (end.getOrNull()?.body == Fault.BODY) shouldBe case.mayRepeat
                            }
                        }
                    }
                }
            }
        }

        test("what was never sent may be, whatever it is") {
            quickly().client().use { client ->
                for (body in listOf(entity("content"), oneShot("content"), null)) {
                    val thrown =
                        shouldThrow<ConnectException> { client.got(request("POST", FaultServer.refused(), body)) }
                    RetryTrace.of(thrown)!!.attempts shouldBe 3
                }
            }
        }

        test("a POST that was done before a redirect is not repeated when the next address refuses the connection") {
            val elsewhere = Replies.status(307, "", "Location: ${FaultServer.refused()}")
            for (body in listOf(entity("content"), null)) {
                FaultServer(elsewhere).use { server ->
                    quickly().client().use { client ->
                        val thrown = shouldThrow<ConnectException> { client.got(request("POST", server.uri(), body)) }
                        RetryTrace.of(thrown)!!.reason shouldBe StopReason.NOT_REPLAYABLE
                        server.requests().size shouldBe 1
                    }
                }
            }
        }

        test("an attempt begins at the first address again, with its headers on each request") {
            val target = FaultServer(Fault.UNAVAILABLE, Fault.NONE)
            FaultServer(Replies.status(307, "", "Location: ${target.uri()}")).use { server ->
                quickly().client().use { client ->
                    val got = client.get(server)
                    got.body shouldBe Fault.BODY
                    got.report.attempts shouldBe 2
                    got.report.requests shouldBe 4
                    for (each in listOf(server, target)) {
                        each.requests().map { it.headers()["amz-sdk-request"] } shouldBe listOf(null, "attempt=2")
                    }
                }
            }
            target.close()
        }

        test("a body that throws by itself is not written again") {
            var written = 0
            val failing = HttpEntities.create({
                written++
                throw IOException("of the user's")
            }, ContentType.TEXT_PLAIN)
            FaultServer(Fault.NONE).use { server ->
                quickly().client().use { client ->
                    val thrown = shouldThrow<IOException> { client.got(request("PUT", server.uri(), failing)) }
                    thrown.message shouldBe "of the user's"
                    written shouldBe 1
                }
            }
        }

        test("the client's own retries are off, also if it is given a strategy for them") {
            FaultServer(Replies.status(503, "", "Retry-After: 0")).use { server ->
                val builder = quickly { maxAttempts = 1 }.addTo(HttpClients.custom())
                builder.setRetryStrategy(DefaultHttpRequestRetryStrategy.INSTANCE)
                builder.build().use { it.get(server).status shouldBe 503 }
                server.requests().size shouldBe 1
            }
        }

        test("retries that were added twice refuse a call") {
            FaultServer(Fault.NONE).use { server ->
                quickly().client { quickly().addTo(this) }.use { client ->
                    shouldThrow<IllegalStateException> { client.get(server) }
                    server.requests().size shouldBe 0
                }
            }
        }
    })
