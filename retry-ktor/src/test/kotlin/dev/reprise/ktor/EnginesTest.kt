package dev.reprise.ktor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.core.backoff.Backoff
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.throwables.shouldThrowAny
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.engine.HttpClientEngineFactory
import io.ktor.client.engine.cio.CIO
import io.ktor.client.engine.okhttp.OkHttp
import io.ktor.client.plugins.HttpTimeout
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.prepareGet
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import java.io.IOException
import java.lang.management.ManagementFactory
import java.net.ServerSocket
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

private val engines = mapOf<String, HttpClientEngineFactory<*>>("CIO" to CIO, "OkHttp" to OkHttp)

private val quick = RetryPolicy {
    backoff = Backoff.fixed(5.milliseconds)
    quota = null
}

private fun client(engine: HttpClientEngineFactory<*>, requestTimeout: Long? = null) = HttpClient(engine) {
    install(Retry) { policy = quick }
    install(HttpTimeout) { requestTimeoutMillis = requestTimeout }
}

/** What only real sockets show. Real time, and little of it. */
class EnginesTest :
    FunSpec({
        for ((name, engine) in engines) {
            suspend fun calling(
                vararg acts: Act,
                requestTimeout: Long? = null,
                block: suspend HttpClient.(RawServer) -> Unit,
            ) = RawServer(*acts).use { server -> client(engine, requestTimeout).use { it.block(server) } }

            val faults = mapOf(
                "a 503" to answer(503, "overloaded"),
                "a reset instead of an answer" to reset,
                "a reset in the head" to resetInHead,
                "a reset in the body" to resetInBody(200),
                "a reset in the body of a 503" to resetInBody(503),
                "a body that ends early" to shortBody,
                "a 503 on a connection that is closed after it" to answerAndClose(503),
            )
            for ((fault, act) in faults) {
                test("$name: $fault is retried") {
                    calling(act, answer(200, "there")) { server ->
                        val response = get(server.url)

                        response.bodyAsText() shouldBe "there"
                        response.retryReport.attempts shouldBe 2
                        server.requests shouldBe 2
                    }
                }
            }

            test("$name: a server that says nothing is left after the request timeout, and asked again") {
                calling(stall, answer(200, "there"), requestTimeout = 400) { server ->
                    get(server.url).bodyAsText() shouldBe "there"
                    server.requests shouldBe 2
                }
            }

            test("$name: a body that stalls is left after the request timeout, and asked for again") {
                calling(stallInBody(200), answer(200, "there"), requestTimeout = 400) { server ->
                    get(server.url).bodyAsText() shouldBe "there"
                }
            }

            test("$name: the stalled body of a 503 does not hold the retry up") {
                calling(stallInBody(503), answer(200, "there")) { server ->
                    measureTime { get(server.url).bodyAsText() shouldBe "there" }.inWholeSeconds shouldBeLessThan 5
                }
            }

            test("$name: a refused connection is retried for a POST too, for nothing was sent") {
                val port = ServerSocket(0).use { it.localPort }
                client(engine).use { client ->
                    val thrown = shouldThrow<IOException> { client.post("http://localhost:$port/") }
                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.ATTEMPTS
                }
            }

            test("$name: an unknown host is retried for a POST too, for nothing was sent") {
                client(engine).use { client ->
                    val thrown = shouldThrowAny { client.post("http://no-such-host.invalid/") }
                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.ATTEMPTS
                }
            }

            test("$name: a POST that was reset is not repeated") {
                calling(reset, answer(200)) { server ->
                    val thrown = shouldThrow<IOException> { post(server.url) }
                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.NOT_REPLAYABLE
                    server.requests shouldBe 1
                }
            }

            test("$name: a stream is retried up to its head, and not when it breaks after that") {
                calling(answer(503), resetInBody(200), answer(200, "there")) { server ->
                    // CIO does not always notice that a streamed body ends early.
                    runCatching { prepareGet(server.url).execute { it.bodyAsText() } }
                    server.requests shouldBe 2
                }
            }

            test("$name: a cancelled call ends at once and closes its connection") {
                calling(stall) { server ->
                    coroutineScope {
                        val call = async { get(server.url) }
                        eventually(5.seconds) { server.requests shouldBe 1 }
                        measureTime {
                            call.cancel()
                            shouldThrow<CancellationException> { call.await() }
                        }.inWholeSeconds shouldBeLessThan 2
                    }
                    delay(50)
                    server.requests shouldBe 1
                }
            }

            test("$name: retried calls keep neither connections, nor requests, nor memory") {
                val overloaded = answer(503, "x".repeat(2_000))
                val pattern = List(WARM_CALLS + CALLS) { listOf(overloaded, answer(200, "there")) }.flatten()
                calling(*pattern.toTypedArray()) { server ->
                    suspend fun calls(count: Int) = repeat(count) { get(server.url).retryReport.attempts shouldBe 2 }
                    calls(WARM_CALLS)
                    val heapBefore = usedHeap()

                    calls(CALLS)

                    val grown = usedHeap() - heapBefore
                    grown shouldBeLessThan MOST_GROWTH
                    server.requests shouldBe 2 * (WARM_CALLS + CALLS)
                    eventually(5.seconds) {
                        server.openConnections shouldBeLessThanOrEqual 1
                        coroutineContext.job.children.toList().size shouldBeLessThanOrEqual 1
                    }
                    val connections = "${server.connections} connections, ${server.openConnections} open"
                    println("$name: ${server.requests} requests, $connections, heap grown by ${grown / 1024} KiB")
                }
            }
        }
    })

/** The heap in bytes that is in use once what is garbage is collected. */
private fun usedHeap(): Long {
    val heap = ManagementFactory.getMemoryMXBean()
    repeat(3) { heap.gc() }
    return heap.heapMemoryUsage.used
}

private const val WARM_CALLS = 100

/** Far less than one rejected body for each call would be. */
private const val MOST_GROWTH = 4L * 1024 * 1024

/** For the figures of the documentation: `mvn test -Dreprise.ktor.calls=10000`. */
private val CALLS = Integer.getInteger("reprise.ktor.calls", 200)
