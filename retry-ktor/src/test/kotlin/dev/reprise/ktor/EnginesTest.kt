package dev.reprise.ktor

import dev.reprise.build.WaitingSpec
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.plugins.HttpTimeoutConfig
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import java.io.IOException
import java.net.InetAddress
import java.net.ServerSocket
import java.net.SocketTimeoutException
import java.nio.channels.SocketChannel
import java.util.concurrent.CountDownLatch
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

internal val quick = RetryPolicy {
    backoff = Backoff.fixed(5.milliseconds)
    quota = null
}

private fun client(engine: Engine, timeouts: HttpTimeoutConfig.() -> Unit = {}) = engine.client {
    install(Retry) { policy = quick }
    install(HttpTimeout, timeouts)
}

/** Has a client on this engine call a server that does [acts]. */
internal suspend fun Engine.calling(
    vararg acts: Act,
    timeouts: HttpTimeoutConfig.() -> Unit = {},
    block: suspend HttpClient.(RawServer) -> Unit,
) = RawServer(*acts).use { server -> client(this, timeouts).use { it.block(server) } }

/** What only real sockets show. Real time, and little of it. */
class EnginesTest :
    WaitingSpec({
        for (engine in Engine.entries) {
            test(
                "$engine: a rule that rejects a good response by its head is asked once, and its body not waited for",
            ) {
                FaultServer(Fault.NONE, Replies.trickling(202, 30), Fault.NONE).use { server ->
                    var asked = 0
                    val rule = quick.with {
                        onResponse {
                            asked++
                            if (it.status == HttpStatusCode.Accepted) Verdict.TRANSIENT else null
                        }
                    }
                    engine.client { install(Retry) { policy = rule } }.use { http ->
                        http.get("${server.uri()}")
                        val took = measureTime { http.get("${server.uri()}").bodyAsText() shouldBe Fault.BODY }
                        took.inWholeMilliseconds shouldBeLessThan 15_000
                        asked shouldBe 3
                    }
                }
            }

            test("$engine: a server that says nothing is left after the request timeout, and asked again") {
                engine.calling(stall, answer(200, "there"), timeouts = { requestTimeoutMillis = 400 }) { server ->
                    get(server.url).bodyAsText() shouldBe "there"
                    server.requests shouldBe 2
                }
            }

            test("$engine: a body that stalls is left after the request timeout, and asked for again") {
                engine.calling(stallInBody(200), answer(200, "there"), timeouts = {
                    requestTimeoutMillis = 400
                }) { server -> get(server.url).bodyAsText() shouldBe "there" }
            }

            test("$engine: the stalled body of the last failure does not outlive the call's limits") {
                FaultServer(Fault.STALLED_FAILURE).use { server ->
                    val limited = quick.with { attemptTimeout = 500.milliseconds }
                    engine.client { install(Retry) { policy = limited } }.use { client ->
                        val took = measureTime {
                            val thrown = shouldThrow<SocketTimeoutException> { client.get("${server.uri()}") }
                            RetryTrace.of(thrown).shouldNotBeNull()
                        }
                        took.inWholeSeconds shouldBeLessThan 30
                        // Apache5 keeps the connection of a body that was cancelled until the client is closed.
                        if (engine != Engine.Apache5) eventually(30.seconds) { server.openConnections() shouldBe 0 }
                    }
                }
            }

            test("$engine: a server that says nothing is left after the socket timeout, and asked again")
                .config(enabled = engine.knowsSocketTimeouts) {
                    engine.calling(stall, answer(200, "there"), timeouts = { socketTimeoutMillis = 400 }) { server ->
                        val response = get(server.url)

                        response.bodyAsText() shouldBe "there"
                        response.retryReport.attempts shouldBe 2
                        server.requests shouldBe 2
                    }
                }

            test("$engine: a server that does not answer a connection is retried for a POST too") {
                ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { full ->
                    val waiting = List(3) { SocketChannel.open().apply { configureBlocking(false) } }
                    waiting.forEach { it.connect(full.localSocketAddress) }
                    client(engine) { connectTimeoutMillis = 200 }.use { client ->
                        val thrown = shouldThrow<IOException> { client.post("http://localhost:${full.localPort}/") }

                        thrown.message shouldContain "Connect timeout"
                        RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.ATTEMPTS
                    }
                    waiting.forEach { it.close() }
                }
            }

            test("$engine: an unknown host is retried for a POST too, for nothing was sent") {
                client(engine).use { client ->
                    val thrown = shouldThrowAny { client.post("http://no-such-host.invalid/") }
                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.ATTEMPTS
                }
            }

            test("$engine: a stream is retried up to its head, and not when it breaks after that") {
                val isRead = CountDownLatch(1)
                engine.calling(answer(503), resetInBody(200, isRead), answer(200, "there")) { server ->
                    // CIO does not always notice that a streamed body ends early.
                    runCatching {
                        prepareGet(server.url).execute {
                            isRead.countDown()
                            it.bodyAsText()
                        }
                    }
                    server.requests shouldBe 2
                }
            }

            test("$engine: a cancelled call ends at once and closes its connection") {
                engine.calling(stall) { server ->
                    coroutineScope {
                        val call = async { get(server.url) }
                        eventually(30.seconds) { server.requests shouldBe 1 }
                        measureTime {
                            call.cancel()
                            shouldThrow<CancellationException> { call.await() }
                        }.inWholeSeconds shouldBeLessThan 30
                    }
                    delay(50)
                    server.requests shouldBe 1
                }
            }
        }
    })
