package dev.reprise.ktor

import io.ktor.client.call.HttpClientCall
import io.ktor.client.plugins.Sender
import io.ktor.client.request.HttpRequestBuilder
import kotlinx.coroutines.currentCoroutineContext

/*
 * The Ktor shell: the loop of `Retrier.invoke`, whose attempts are requests. What it adds to the named steps is that a
 * rejected response is let go before the wait, and that a wait also ends when the request itself is cancelled.
 */

/** Sends [request] until a response is accepted or the policy gives up. */
internal suspend fun Retries.execute(sender: Sender, client: Client, request: HttpRequestBuilder): HttpClientCall {
    client.checkOnce()
    val wishes = request.attributes.getOrNull(CallWishes.KEY)
    val steps = retrierOf(request, wishes).steps(optionsOf(request, wishes))
    val attempts = Attempts(this, sender, client, request, steps.setup.policy.maxAttempts)
    var call = steps.begin()
    val sentAt = steps.sendTime(call)
    while (true) {
        if (call != null) {
            if (steps.mustWait(call)) attempts.wait(steps, call)
            if (!steps.attemptBegins(call)) return attempts.end(call)
        }
        val outcome =
            try {
                if (call == null) attempts.send(steps.setup.firstAttempt) else steps.attempt(call) { attempts.send(it) }
            } catch (e: Throwable) {
                call = steps.failed(call, sentAt, e, currentCoroutineContext())
                continue
            }
        if (call == null && steps.accepts(outcome, sentAt)) return attempts.first(outcome)
        call = steps.completed(call, sentAt, outcome, currentCoroutineContext())
        if (!call.isOver) attempts.letGo(outcome, call)
    }
}
