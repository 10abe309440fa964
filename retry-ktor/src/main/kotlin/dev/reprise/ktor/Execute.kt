package dev.reprise.ktor

import dev.reprise.core.call.NextStep
import dev.reprise.core.call.ResultKind
import dev.reprise.coroutines.attempt
import dev.reprise.coroutines.completed
import dev.reprise.coroutines.failed
import dev.reprise.coroutines.within
import io.ktor.client.call.HttpClientCall
import io.ktor.client.plugins.Sender
import io.ktor.client.request.HttpRequestBuilder
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The Ktor shell. Its attempts are requests; a rejected response is released before the wait, and a wait also ends when the
 * request itself is cancelled. `docs/research/shells.md` shows it beside the others.
 */

/** Sends [request] until a response is accepted or the policy gives up. */
internal suspend fun RetryPlugin.execute(sender: Sender, client: Client, request: HttpRequestBuilder): HttpClientCall {
    client.checkOnce()
    val overrides = request.attributes.getOrNull(RequestOverrides.KEY)
    val setup = retrierOf(request, overrides).setup
    val bodyKind = bodyKindOf(request, overrides)
    val options = setup.http(optionsOf(request, bodyKind, overrides), request.method.value, request.url.host)
    val attempts = Attempts(this, sender, client, request, setup.policy, bodyKind)
    val context = currentCoroutineContext()
    context.ensureActive()
    var call = setup.begin(options.within(context), ResultKind.RESPONSE)
    while (call.next != NextStep.DONE) {
        try {
            when (call.next) {
                NextStep.WAIT -> {
                    attempts.unlessCancelled { setup.waiter.await(call.delayNanos.nanoseconds) }
                    call.waited()
                }

                NextStep.PERMIT -> attempts.unlessCancelled { setup.line!!.acquire(call) }

                NextStep.DISCARD -> {
                    attempts.letGo(call.rejected() as KtorOutcome)
                    call.discarded()
                }

                NextStep.ATTEMPT -> {
                    val outcome =
                        try {
                            call.attempt { attempts.send(it) }
                        } catch (e: Throwable) {
                            if (attempts.isSpent()) call = call.forGood()
                            call = call.failed(e, currentCoroutineContext())
                            if (call.next != NextStep.DONE) attempts.tellOfRetry(e, null, call.delayNanos)
                            continue
                        }
                    if (attempts.isSpent(outcome)) call = call.forGood()
                    val next = call.completed(outcome, currentCoroutineContext())
                    call = next ?: return attempts.end(outcome, call.outcome())
                    if (call.next != NextStep.DONE) attempts.tellOfRetry(null, outcome, call.delayNanos)
                }

                NextStep.DONE -> error("the loop ends here")
            }
        } catch (e: Throwable) {
            call = call.broke(e)
        }
    }
    call.failure()?.let { throw it }
    return attempts.end(call.value() as KtorOutcome, call.outcome())
}
