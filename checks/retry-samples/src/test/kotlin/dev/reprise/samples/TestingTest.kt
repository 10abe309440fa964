@file:OptIn(ExperimentalReprise::class)

package dev.reprise.samples

import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.test.FaultProbe
import dev.reprise.test.Recorder
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse.Companion.status
import dev.reprise.test.Subject
import dev.reprise.test.VirtualTime
import dev.reprise.test.scriptedEngine
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.ktor.client.HttpClient
import io.ktor.client.request.get
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import java.net.ConnectException
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.Callable
import kotlin.time.Duration.Companion.milliseconds

/** The service of the testing guide. */
private class People(private val retrier: Retrier, private val fetch: suspend () -> String) {
    suspend fun find(id: String): String = retrier { fetch() } + " $id"
}

private class Prices(private val retrier: Retrier, private val feed: Flow<Int>) {
    fun all(): Flow<Int> = feed.retry(retrier)
}

/** The snippets of the testing guide, run. */
class TestingTest :
    FunSpec({
        test("a suspending service") {
            val time = VirtualTime()
            val recorder = Recorder()
            var calls = 0
            val people = People(time.retrier(listener = recorder)) {
                if (++calls < 3) throw ConnectException("refused") else "user"
            }

            val user = time.run { people.find("7") }

            user shouldBe "user 7"
            recorder.call.assertEndedOnce().assertAttempts(3).assertDelays(listOf(50.milliseconds, 100.milliseconds))
        }

        test("a flow") {
            val time = VirtualTime()
            val recorder = Recorder()
            var collections = 0
            val feed = flow {
                emit(1)
                if (++collections < 3) throw ConnectException("reset")
                emit(2)
            }

            val prices = time.run { Prices(time.retrier(listener = recorder), feed).all().toList() }

            prices shouldBe listOf(1, 1, 1, 2)
            recorder.call.assertEndedOnce().assertAttempts(3).assertReason(StopReason.SUCCESS)
        }

        test("a Ktor client") {
            val time = VirtualTime()
            val engine = scriptedEngine(time, status(503), status(200, "user 7"))
            val client = HttpClient(engine) {
                install(Retry) { retriers = RetrierCache(10) { time.retrier(RetryPolicy.HTTP) } }
            }

            time.run { client.get("https://users.example/7").status.value } shouldBe 200

            engine.requestHistory.size shouldBe 2
        }

        test("a java.net.http client") {
            val time = VirtualTime()
            val server = ScriptedHttpClient(time, status(503), status(200, "user 7").after(20.milliseconds))
            val retrier = time.javaRetrier(RetryPolicy.HTTP)
            val client = RetryingHttpClient.around(server).retriers { retrier }.build()

            val request = HttpRequest.newBuilder(URI("https://users.example/7")).build()
            client.send(request, BodyHandlers.ofString()).body() shouldBe "user 7"

            server.requests.size shouldBe 2
            server.openBodies shouldBe 0
        }

        test("a probe") {
            FaultProbe({ ConnectException("refused") }).assertSound(
                Subject.suspending { time, fetch ->
                    val people = People(time.retrier(), fetch)
                    suspend { people.find("7") }
                },
            )
        }

        test("a probe of a loop of one's own") {
            val probe = FaultProbe({
                ConnectException("refused")
            }).withFinal({ IllegalArgumentException("no such user") })
            val found = probe.findings(
                Subject.blocking { _, fetch ->
                    Callable {
                        var user: String? = null
                        for (attempt in 1..3) {
                            if (user == null) user = runCatching { fetch() }.getOrNull()
                        }
                        user
                    }
                },
            )

            found.map { "${it.kind}" }.distinct() shouldBe
                listOf("MISSING_DELAY", "LOST_FAILURE", "REPEATED_AFTER_CANCELLATION", "RETRIED_IN_VAIN")
        }
    })
