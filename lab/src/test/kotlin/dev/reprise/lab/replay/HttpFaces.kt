package dev.reprise.lab.replay

import dev.reprise.core.RetrierCache
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.ktor.Retry
import dev.reprise.ktor.callOptions
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import io.ktor.client.HttpClient
import io.ktor.client.engine.mock.MockEngine
import io.ktor.client.engine.mock.respond
import io.ktor.client.plugins.HttpSend
import io.ktor.client.request.get
import io.ktor.http.HttpStatusCode
import io.ktor.http.headers
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.Executor
import kotlin.time.Duration.Companion.nanoseconds

private const val URL = "http://replay/"
private val REQUEST: HttpRequest = HttpRequest.newBuilder(URI(URL)).build()
private val ATTEMPT = Regex("attempt=(\\d+).*")
private const val ATTEMPT_HEADER = "X-Attempt"

/** `RetryingHttpClient.send(...)`. */
internal fun http(time: VirtualTime, call: Scenario.Call, retrier: Retrier): Any? =
    client(time, call, retrier, Runnable::run).send(REQUEST, BodyHandlers.ofByteArray())

/** `RetryingHttpClient.sendAsync(...)`. */
internal fun httpAsync(time: VirtualTime, call: Scenario.Call, retrier: Retrier): Any? =
    time.join(client(time, call, retrier, time.executor).sendAsync(REQUEST, BodyHandlers.ofByteArray()))

/** A client whose server responds what [call] says. */
private fun client(time: VirtualTime, call: Scenario.Call, retrier: Retrier, executor: Executor): RetryingHttpClient {
    val server = ScriptedHttpClient(time) { request ->
        val mark = request.headers().firstValue("amz-sdk-request").orElseThrow()
        val outcome = call.outcomeOf(ATTEMPT.matchEntire(mark)!!.groupValues[1].toInt())
        val end = time.nanoTime() + outcome.takesNanos
        val response = when (outcome) {
            is Scenario.Failure -> ScriptedResponse.failure { outcome.failure }

            is Scenario.Response ->
                ScriptedResponse.status(outcome.status, outcome.wireBody(), outcome.wireHeaders(end))
        }
        response.after(outcome.takesNanos.nanoseconds)
    }
    val java = JavaRetrier.sharing(retrier, time, executor)
    return RetryingHttpClient
        .around(server)
        .retriers { java }
        .options { call.options }
        .amzHeaders(true)
        .errorBodyBytes(Scenario.PEEKED_BYTES)
        .build()
}

/** `install(Retry)` in a Ktor client, whose engine responds what [call] says. */
internal fun ktor(time: VirtualTime, call: Scenario.Call, retrier: Retrier): Any? {
    val client = HttpClient(MockEngine) {
        engine {
            dispatcher = time.dispatcher
            addHandler { request ->
                val outcome = call.outcomeOf(request.headers[ATTEMPT_HEADER]!!.toInt())
                time.suspendFor(outcome.takesNanos.nanoseconds)
                when (outcome) {
                    is Scenario.Failure -> throw outcome.failure

                    is Scenario.Response -> respond(
                        outcome.wireBody(),
                        HttpStatusCode.fromValue(outcome.status),
                        headers { outcome.wireHeaders(time.nanoTime()).forEach { append(it.key, it.value) } },
                    )
                }
            }
        }
        // A redirect is an outcome like any other: followed, it would be the same outcome for ever.
        followRedirects = false
        // Ktor's own limit, 20 requests a call, is no part of the policy that is replayed.
        install(HttpSend) { maxSendCount = Int.MAX_VALUE }
        install(Retry) {
            retriers = RetrierCache(1) { retrier }
            attemptHeader = ATTEMPT_HEADER
            sendLimit = Int.MAX_VALUE
            errorBodyBytes = Scenario.PEEKED_BYTES
        }
    }
    return client.use { time.run { it.get(URL) { callOptions(call.options) } } }
}
