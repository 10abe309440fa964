package dev.reprise.conformance.faults

import dev.reprise.jdkhttp.RetryingHttpClient
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import java.net.URI
import java.net.http.HttpRequest
import kotlin.time.Duration.Companion.nanoseconds

internal val REQUEST: HttpRequest = HttpRequest.newBuilder(URI("http://service.test/")).build()

/** A `java.net.http` client in this world, and the one that retries around it. */
internal fun World.httpClients(): Pair<ScriptedHttpClient, RetryingHttpClient> {
    var number = 0
    val client = ScriptedHttpClient(time) {
        val step = begins(++number)
        val response = if (step.throws) {
            ScriptedResponse.failure { ScriptedFailure(step.verdict) }
        } else {
            ScriptedResponse.status(World.STATUSES.getValue(step.verdict), "body")
        }
        response.after(step.takesNanos.nanoseconds)
    }
    return client to RetryingHttpClient.around(client).retriers { java }.options { options }.build()
}
