package dev.reprise.ktor

import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.setBody
import io.ktor.client.statement.bodyAsText
import kotlinx.coroutines.delay
import kotlinx.coroutines.job
import java.io.IOException
import java.lang.management.ManagementFactory
import kotlin.time.Duration.Companion.seconds

/** What becomes of connections: kept, reused, gone stale, leaked. */
class ConnectionsTest :
    FunSpec({
        for (engine in Engine.entries) {
            test("$engine: a kept connection that the server has closed meanwhile is of no harm") {
                engine.calling(answerAndClose(200), answer(200, "there")) { server ->
                    get(server.url)
                    delay(50)

                    get(server.url).bodyAsText() shouldBe "there"
                    server.requests shouldBe 2
                }
            }

            test("$engine: a connection that the server closes after a 503 is not used again, or not for long") {
                engine.calling(answerAndClose(503), answer(200, "there")) { server ->
                    get(server.url).bodyAsText() shouldBe "there"
                    server.requests shouldBe 2
                }
            }

            test("$engine: a GET on a kept connection that the server closes just then is sent again") {
                engine.calling(answer(200), hangUp, answer(200, "there")) { server ->
                    get(server.url)

                    val response = get(server.url)

                    response.bodyAsText() shouldBe "there"
                    response.retryReport.attempts shouldBe if (engine.repeatsUnanswered) 1 else 2
                    server.requests shouldBe 3
                }
            }

            test("$engine: a POST on a kept connection that the server closes just then is not sent again") {
                engine.calling(answer(200), hangUp, answer(200)) { server ->
                    get(server.url)

                    val thrown = shouldThrow<IOException> { post(server.url) { setBody("pay") } }

                    RetryTrace.of(thrown).shouldNotBeNull().reason shouldBe StopReason.NOT_REPLAYABLE
                    server.requests shouldBe 2
                }
            }

            test("$engine: retried calls keep neither connections, nor requests, nor memory") {
                val overloaded = answer(503, "x".repeat(REJECTED_BYTES))
                val pattern = List(WARM_CALLS + CALLS) { listOf(overloaded, answer(200, "there")) }.flatten()
                engine.calling(*pattern.toTypedArray()) { server ->
                    suspend fun calls(count: Int) = repeat(count) { get(server.url).retryReport.attempts shouldBe 2 }
                    calls(WARM_CALLS)
                    val heapBefore = usedHeap()

                    calls(CALLS)

                    val grown = usedHeap() - heapBefore
                    grown shouldBeLessThan MOST_GROWTH
                    server.requests shouldBe 2 * (WARM_CALLS + CALLS)
                    eventually(30.seconds) {
                        server.openConnections shouldBeLessThanOrEqual 1
                        coroutineContext.job.children.toList().size shouldBeLessThanOrEqual 1
                    }
                    val connections = "${server.connections} connections, ${server.openConnections} open"
                    println("$engine: ${server.requests} requests, $connections, heap grown by ${grown / 1024} KiB")
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

private const val WARM_CALLS = 20
private const val CALLS = 100

/** Few enough to be read to their end, so that connections are kept. */
private const val REJECTED_BYTES = 60_000

/** Far less than the rejected bodies would be. */
private const val MOST_GROWTH = CALLS * REJECTED_BYTES / 3L
