package dev.reprise.ktor

import dev.reprise.core.RetryTrace
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.request.get
import io.ktor.client.request.post
import io.ktor.client.request.put
import io.ktor.client.request.setBody
import io.ktor.client.statement.HttpResponse
import io.ktor.client.statement.bodyAsText
import io.ktor.utils.io.ByteReadChannel
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.TimeSource

private const val PAYLOAD = "pay"

/** What CIO hands out as a good response: no policy can see it. */
private val HIDDEN_BY_CIO = setOf(Fault.CUT_CHUNKS, Fault.EARLY_HINTS)
private val IS_ALL = System.getProperty("reprise.faults") == "all"

private val requests = mapOf<String, suspend HttpClient.(String) -> HttpResponse>(
    "GET" to { url -> get(url) },
    "POST" to { url -> post(url) { setBody(PAYLOAD) } },
    "PUT of a channel" to { url -> put(url) { setBody(ByteReadChannel(PAYLOAD)) } },
)

/** Every fault on every engine. All kinds of requests with `-Dreprise.faults=all`, else those that matter most. */
class FaultMatrixTest :
    FunSpec({
        val limited = quick.with { attemptTimeout = 500.milliseconds }
        for (engine in Engine.entries) {
            for (fault in Fault.entries) {
                for ((name, request) in if (IS_ALL) requests else requests.filterKeys { it != "POST" }) {
                    val isHidden = engine == Engine.CIO && fault in HIDDEN_BY_CIO
                    test("$engine keeps the laws: $name, server: $fault") {
                        FaultServer(fault, Fault.NONE).use { server ->
                            engine.client { install(Retry) { policy = limited } }.use { client ->
                                val began = TimeSource.Monotonic.markNow()
                                val result = runCatching {
                                    client.request("${server.uri()}").let { it.status.value to it.bodyAsText() }
                                }

                                began.elapsedNow().inWholeSeconds shouldBeLessThan 8
                                result.exceptionOrNull()?.let { withClue(it) { RetryTrace.of(it).shouldNotBeNull() } }
                                result.getOrNull()?.takeIf { !isHidden }?.let { (status, body) ->
                                    if (status == 200) body shouldBe Fault.BODY
                                }
                                if (name != "GET" && fault != Fault.REDIRECT) {
                                    server.bodies().size shouldBeLessThanOrEqual 1
                                    server.bodies().all { it == PAYLOAD } shouldBe true
                                }
                                if (name == "GET" &&
                                    !isHidden
                                ) {
                                    withClue(result) { result.getOrNull()?.first shouldBe 200 }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
