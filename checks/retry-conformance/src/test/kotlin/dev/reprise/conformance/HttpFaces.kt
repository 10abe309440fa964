package dev.reprise.conformance

import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import dev.reprise.test.scriptedEngine
import io.ktor.client.HttpClient
import io.ktor.client.plugins.HttpSend
import io.ktor.client.request.get
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import kotlin.time.Duration.Companion.nanoseconds

/** What a server responds in [this] step. */
private fun Step.response(): ScriptedResponse {
    val response = if (failure == null) {
        val result = result as Response
        ScriptedResponse.status(result.status, "body", result.sentHeaders)
    } else {
        ScriptedResponse.failure(failure)
    }
    return response.after(takesNanos.nanoseconds)
}

/** `install(Retry)`, with Ktor's own limit of 20 requests a call out of the way. */
data object KtorFace : SuspendingFace() {
    override suspend fun make(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Any? {
        val engine = scriptedEngine(time) { call.next().response() }
        val client = HttpClient(engine) {
            install(HttpSend) { maxSendCount = Int.MAX_VALUE }
            install(Retry) {
                retriers = RetrierCache(1) { retrier }
                sendLimit = Int.MAX_VALUE
            }
        }
        return client.use { it.get("http://service.test/") { callOptions(call.options) } }
    }
}

data object HttpFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val client = httpClient(call, JavaRetrier.sharing(retrier, time, Runnable::run), time)
        val end = runCatching { client.send(REQUEST, BodyHandlers.ofString()) }
        return Ended.of(call.begun) { end.getOrThrow() }
    }
}

data object HttpAsyncFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val client = httpClient(call, JavaRetrier.sharing(retrier, time, time.executor), time)
        val response = client.sendAsync(REQUEST, BodyHandlers.ofString())
        return Ended.of(response, call, time)
    }
}

private val REQUEST: HttpRequest = HttpRequest.newBuilder(URI("http://service.test/")).build()

private fun httpClient(call: ScriptedCall, retrier: JavaRetrier, time: VirtualTime): RetryingHttpClient =
    RetryingHttpClient
        .around(ScriptedHttpClient(time) { call.next().response() })
        .retriers { retrier }
        .options { call.options }
        .build()
