package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import dev.reprise.test.VirtualTime
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.Executor
import kotlin.time.Duration.Companion.nanoseconds

/** `RetryingHttpClient.send(...)` on a thread that is the only one there is. */
internal class HttpFace(time: VirtualTime) : Face(time, { time.await(it) }) {
    override fun make(call: Scenario.Call, retrier: Retrier): Any? =
        client(time, call, retrier, Runnable::run).send(REQUEST, BodyHandlers.ofByteArray())
}

/** `RetryingHttpClient.sendAsync(...)`. */
internal class HttpAsyncFace(time: VirtualTime) : Face(time) {
    override fun make(call: Scenario.Call, retrier: Retrier): Any? =
        time.join(client(time, call, retrier, time.executor).sendAsync(REQUEST, BodyHandlers.ofByteArray()))
}

private val REQUEST: HttpRequest = HttpRequest.newBuilder(URI("http://replay/")).build()

/** A client whose server responds what [call] says. */
private fun client(time: VirtualTime, call: Scenario.Call, retrier: Retrier, executor: Executor): RetryingHttpClient {
    val server = ScriptedHttpClient(time) { request ->
        val outcome = call.outcomeOf(attemptOf(request))
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

private val ATTEMPT = Regex("attempt=(\\d+).*")

private fun attemptOf(request: HttpRequest): Int {
    val mark = request.headers().firstValue("amz-sdk-request").orElseThrow()
    return ATTEMPT.matchEntire(mark)!!.groupValues[1].toInt()
}
