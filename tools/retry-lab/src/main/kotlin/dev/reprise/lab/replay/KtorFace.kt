package dev.reprise.lab.replay

import dev.reprise.core.classify.ErrorCodes
import dev.reprise.core.quota.Keyed
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.lab.time.VirtualTime
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockRequestHandleScope
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.HttpResponseData
import io.ktor.client.request.get
import io.ktor.http.HttpStatusCode
import io.ktor.http.headers
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** `install(Retry)` in a Ktor client, whose engine answers what the scenario says. */
internal class KtorFace(private val time: VirtualTime) : Face {
    private val scope = CoroutineScope(time)

    override val waiter: Waiter get() = time.waiter

    override fun play(call: Scenario.Call, retrier: Retrier) {
        scope.launch {
            try {
                client(call, retrier).use { it.get("http://replay/") { callOptions(call.options) } }
            } catch (_: Throwable) {
                // Listeners know.
            }
        }
        time.runToEnd()
    }

    private fun client(call: Scenario.Call, retrier: Retrier) = HttpClient(MockEngine) {
        engine {
            dispatcher = time
            addHandler { request ->
                val outcome = call.outcomeOf(request.headers[ATTEMPT]!!.toInt())
                time.await(outcome.takesNanos)
                give(outcome)
            }
        }
        install(Retry) {
            retriers = Keyed(1) { retrier }
            attemptHeader = ATTEMPT
        }
    }

    private fun MockRequestHandleScope.give(outcome: Scenario.Outcome): HttpResponseData = when (outcome) {
        is Scenario.Failure -> throw outcome.failure

        is Scenario.Response -> respond(
            outcome.body ?: byteArrayOf(),
            HttpStatusCode.fromValue(outcome.status),
            headers {
                outcome.headers.forEach { (name, value) -> append(name, value) }
                outcome.code?.let { append(ErrorCodes.HEADER, it) }
            },
        )
    }

    private companion object {
        const val ATTEMPT = "X-Attempt"
    }
}
