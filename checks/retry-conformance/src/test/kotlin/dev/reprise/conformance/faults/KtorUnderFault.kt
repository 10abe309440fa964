package dev.reprise.conformance.faults

import dev.reprise.core.RetrierCache
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockEngineConfig
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.http.HttpStatusCode
import kotlin.time.Duration.Companion.nanoseconds

/** One request through a Ktor client whose engine is the world's. */
internal fun World.throughKtor(): End {
    var number = 0
    val engine = MockEngine(
        MockEngineConfig().apply {
            dispatcher = time.dispatcher
            addHandler {
                val step = begins(++number)
                if (step.takesNanos > 0) time.suspendFor(step.takesNanos.nanoseconds)
                if (step.throws) throw ScriptedFailure(step.verdict)
                respond("body", HttpStatusCode.fromValue(World.STATUSES.getValue(step.verdict)))
            }
        },
    )
    HttpClient(engine) { install(Retry) { retriers = RetrierCache(1) { retrier } } }.use { client ->
        return inCoroutine {
            val response = client.get("http://service.test/") { callOptions(options) }
            response.bodyAsText()
            response.status
        }
    }
}
