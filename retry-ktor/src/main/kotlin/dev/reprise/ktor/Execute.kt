package dev.reprise.ktor

import dev.reprise.coroutines.outcome
import io.ktor.client.call.HttpClientCall
import io.ktor.client.plugins.Sender
import io.ktor.client.request.HttpRequestBuilder

/** Sends [request] until a response is accepted or the policy gives up, in the loop of retry-coroutines. */
internal suspend fun RetryPlugin.execute(sender: Sender, request: HttpRequestBuilder): HttpClientCall {
    val overrides = request.attributes.getOrNull(RequestOverrides.KEY)
    val retrier = retrierOf(request, overrides)
    val setup = retrier.retrier.setup
    val bodyKind = repeats.kindOf(request, overrides)
    val options = setup.http(repeats.optionsOf(request, bodyKind, overrides), request.method.value, request.url.host)
    val attempts = Attempts(this, sender, request, setup.policy, retrier.peek, bodyKind)
    return attempts.end(setup.outcome(options, attempts))
}
