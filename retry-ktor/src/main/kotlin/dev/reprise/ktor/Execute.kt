package dev.reprise.ktor

import dev.reprise.coroutines.attempt
import dev.reprise.coroutines.begin
import dev.reprise.coroutines.judge
import dev.reprise.coroutines.mustWait
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
    val retrier = retrierOf(request, wishes)
    val setup = retrier.setup
    val options = optionsOf(request, wishes)
    val attempts = Attempts(this, sender, client, request, setup.policy.maxAttempts)
    var call = retrier.begin(setup, options)
    while (true) {
        if (call != null) {
            if (retrier.mustWait(call)) attempts.wait(retrier, call)
            if (call.isOver) return attempts.end(call)
            call.attemptStarts()
        }
        var outcome: KtorOutcome? = null
        var failure: Throwable? = null
        try {
            outcome = if (call == null) attempts.send(setup.firstAttempt) else attempt(call) { attempts.send(it) }
        } catch (e: Throwable) {
            failure = e
        }
        if (call == null && outcome != null && setup.acceptsFirst(outcome)) return attempts.first(outcome)
        call = judge(call, setup, options, outcome, failure, currentCoroutineContext())
        if (!call.isOver && outcome != null) attempts.letGo(outcome, call)
    }
}
