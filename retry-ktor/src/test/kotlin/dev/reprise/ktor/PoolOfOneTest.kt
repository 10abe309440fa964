package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.apache5.Apache5
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

private const val HEAD = "HTTP/1.1 %s\r\nContent-Length: 3000\r\n\r\n"

/** The rest of the parts follow for nine seconds. */
private fun trickle(status: String) = Replies.pausing(50, HEAD.format(status), *Array(600) { "busy " })

/** Ktor's Apache5 engine with one connection: it may keep that of a response that was dropped until its body has ended. */
class PoolOfOneTest :
    FunSpec({
        fun client(policy: RetryPolicy) = HttpClient(Apache5) {
            engine {
                customizeClient {
                    disableAutomaticRetries()
                    val one = PoolingAsyncClientConnectionManagerBuilder.create().setMaxConnTotal(
                        1,
                    ).setMaxConnPerRoute(1)
                    setConnectionManager(one.build())
                }
            }
            install(Retry) { this.policy = policy }
        }

        val stalls = mapOf("trickles in" to trickle("503 Busy"), "stalls" to Replies.stallAfter(503, "busy"))
        for ((what, reply) in stalls) {
            test("a retry does not wait for its own rejected response that $what") {
                FaultServer(Fault.NONE, reply, Fault.NONE).use { server ->
                    client(quick).use { http ->
                        http.get("${server.uri()}")
                        val took = measureTime { http.get("${server.uri()}").bodyAsText() shouldBe Fault.BODY }
                        took.inWholeSeconds shouldBeLessThan 15
                        server.requests().none { "x-reprise-exchange" in it.headers() } shouldBe true
                    }
                }
            }
        }

        test("nor does a retry, or a later call, wait for a good response that took too long") {
            FaultServer(Fault.NONE, trickle("200 OK"), trickle("200 OK"), Fault.NONE).use { server ->
                val limited = quick.with {
                    attemptTimeout = 1.seconds
                    maxAttempts = 2
                }
                client(limited).use { http ->
                    http.get("${server.uri()}")
                    runCatching { http.get("${server.uri()}") }.isFailure shouldBe true
                    http.get("${server.uri()}").bodyAsText() shouldBe Fault.BODY
                    server.requests().size shouldBe 4
                }
            }
        }
    })
