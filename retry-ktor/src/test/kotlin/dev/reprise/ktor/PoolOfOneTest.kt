package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.apache5.Apache5
import io.ktor.client.request.get
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder
import java.util.concurrent.CountDownLatch
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

private const val HEAD = "HTTP/1.1 %s\r\nContent-Length: 3000\r\n\r\n"

/** The rest of the parts follow for nine seconds. */
private fun trickle(status: String) = Replies.pausing(50, HEAD.format(status), *Array(600) { "busy " })

/** Ktor's Apache5 engine with one connection: it may keep that of a response that was dropped until its body has ended. */
class PoolOfOneTest :
    FunSpec({
        fun plain(most: Int = 1) = HttpClient(Apache5) {
            engine {
                customizeClient {
                    disableAutomaticRetries()
                    val few = PoolingAsyncClientConnectionManagerBuilder.create().setMaxConnTotal(most)
                    setConnectionManager(few.setMaxConnPerRoute(most).build())
                }
            }
        }

        fun client(policy: RetryPolicy, most: Int = 1) = plain(most).config { install(Retry) { this.policy = policy } }

        val stalls = mapOf("trickles in" to trickle("503 Busy"), "stalls" to Replies.stallAfter(503, "busy"))
        for ((what, reply) in stalls) {
            test("a retry does not wait for its own rejected response that $what") {
                FaultServer(Fault.NONE, reply, Fault.NONE).use { server ->
                    client(quick).use { http ->
                        http.get("${server.uri()}")
                        val took = measureTime { http.get("${server.uri()}").bodyAsText() shouldBe Fault.BODY }
                        took.inWholeSeconds shouldBeLessThan 15
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

        test("nor does a client that shares the engine of one that was first") {
            FaultServer(Fault.NONE, trickle("503 Busy"), Fault.NONE).use { server ->
                client(quick).use { first ->
                    first.get("${server.uri()}")
                    val second = first.config { }
                    val took = measureTime { second.get("${server.uri()}").bodyAsText() shouldBe Fault.BODY }
                    took.inWholeSeconds shouldBeLessThan 15
                }
            }
        }

        test("what one client of an engine drops leaves the calls of the other alone") {
            val isRetried = CountDownLatch(1)
            val slow = Reply { connection ->
                connection.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".toByteArray())
                isRetried.await()
                connection.getOutputStream().write("good".toByteArray())
                true
            }
            val isBusy = CountDownLatch(1)
            val isSlow = CountDownLatch(1)
            val busy = Reply { connection ->
                isBusy.countDown()
                isSlow.await()
                trickle("503 Busy").to(connection)
            }
            FaultServer(slow).use { patient ->
                FaultServer(busy, Fault.NONE).use { server ->
                    client(quick, most = 5).use { first ->
                        val second = first.config { }
                        val dropping = async(Dispatchers.IO) { second.get("${server.uri()}").bodyAsText() }
                        isBusy.await()
                        first.prepareGet("${patient.uri()}").execute { response ->
                            isSlow.countDown()
                            dropping.await() shouldBe Fault.BODY
                            isRetried.countDown()
                            response.bodyAsText() shouldBe "good"
                        }
                    }
                }
            }
        }

        test("requests of an engine that was in use before look as they did") {
            FaultServer(Fault.NONE).use { server ->
                plain().use { before ->
                    before.get("${server.uri()}")
                    val late = before.config { install(Retry) { policy = quick } }
                    repeat(2) { late.get("${server.uri()}") }
                }
                server.requests().map { it.line() to it.headers() }.distinct().size shouldBe 1
            }
        }
    })
