package dev.reprise.test

import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.MockEngineConfig
import io.ktor.client.engine.mock.respond
import io.ktor.client.request.HttpRequestData
import io.ktor.http.HttpStatusCode
import io.ktor.http.headersOf

/**
 * A Ktor engine in the time of [time] that responds with [responses], one after another; the last one repeats. Needs
 * `ktor-client-mock` on the class path.
 */
@JvmSynthetic
public fun scriptedEngine(time: VirtualTime, vararg responses: ScriptedResponse): MockEngine =
    scriptedEngine(time, inTurn(responses.toList()))

/**
 * A Ktor engine in the time of [time]: [script] responds to each request. Needs `ktor-client-mock` on the class path.
 */
@JvmSynthetic
public fun scriptedEngine(time: VirtualTime, script: (HttpRequestData) -> ScriptedResponse): MockEngine {
    val config = MockEngineConfig().apply {
        dispatcher = time.eagerDispatcher
        addHandler { request ->
            val response = script(request)
            time.suspendFor(response.after)
            response.failure?.let { throw it() }
            val headers = headersOf(*response.headers.map { it.key to listOf(it.value) }.toTypedArray())
            respond(response.body, HttpStatusCode.fromValue(response.status), headers)
        }
    }
    return MockEngine(config)
}
