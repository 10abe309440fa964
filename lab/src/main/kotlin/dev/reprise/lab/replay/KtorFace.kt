package dev.reprise.lab.replay

import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.test.VirtualTime
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockRequestHandleScope
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpSend
import io.ktor.client.request.HttpResponseData
import io.ktor.client.request.get
import io.ktor.http.HttpStatusCode
import io.ktor.http.headers
import kotlin.time.Duration.Companion.nanoseconds

/** `install(Retry)` in a Ktor client, whose engine responds what the scenario says. */
internal class KtorFace(time: VirtualTime) : Face(time) {
    override fun make(call: Scenario.Call, retrier: Retrier): Any? = client(call, retrier).use { client ->
        time.run { client.get("http://replay/") { callOptions(call.options) } }
    }

    private fun client(call: Scenario.Call, retrier: Retrier) = HttpClient(MockEngine) {
        engine {
            dispatcher = time.dispatcher
            addHandler { request ->
                val outcome = call.outcomeOf(request.headers[ATTEMPT]!!.toInt())
                time.suspendFor(outcome.takesNanos.nanoseconds)
                give(outcome)
            }
        }
        // Ktor's own limit, 20 requests a call, is no part of the policy that is replayed.
        install(HttpSend) { maxSendCount = Int.MAX_VALUE }
        install(Retry) {
            retriers = RetrierCache(1) { retrier }
            attemptHeader = ATTEMPT
            sendLimit = Int.MAX_VALUE
            errorBodyBytes = Scenario.PEEKED_BYTES
        }
    }

    private fun MockRequestHandleScope.give(outcome: Scenario.Outcome): HttpResponseData = when (outcome) {
        is Scenario.Failure -> throw outcome.failure

        is Scenario.Response -> respond(
            outcome.wireBody(),
            HttpStatusCode.fromValue(outcome.status),
            headers { outcome.wireHeaders(time.nanoTime()).forEach { (name, value) -> append(name, value) } },
        )
    }

    private companion object {
        const val ATTEMPT = "X-Attempt"
    }
}
