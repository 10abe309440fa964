package dev.reprise.lab.calls

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.call.ServedRequest
import dev.reprise.core.shell.http.AttemptHeaders
import dev.reprise.core.shell.values.SHOULD_RETRY
import dev.reprise.core.shell.values.readUpstream
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.serving
import dev.reprise.lab.fleet.Answer
import dev.reprise.test.VirtualTime
import dev.reprise.virtualtime.Chance
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.launch

/*
 * Services that call each other, with the library's own retriers, served requests and headers at both ends of each call. Only
 * the network between them is simulated.
 */

/** The marks that layers of retries send each other. */
internal enum class Travels(val words: String) {
    /** Each layer retries as if it were the only one. */
    NOTHING("nothing travels"),

    /** Requests carry the number of their attempt: calls made for a retry make one attempt. */
    NUMBERS("numbers travel"),

    /** Numbers, and answers that say whether they were retried: `x-should-retry: false`. */
    MARKS("marks travel"),
}

/** A request on its way; [trip] is the call that it belongs to. */
internal class Request(val headers: Map<String, String>, val trip: Trip)

/** A call of an [operation], and how many requests the server has had for it. */
internal class Trip(val operation: Int) {
    var atServer = 0
}

internal fun interface Endpoint {
    /** Takes [request]. The answer may never come; the work for it continues after its caller has given up. */
    fun ask(request: Request): Deferred<HttpOutcome>
}

/** Makes calls of [next], each by one of the [retriers]. */
internal class Caller(
    private val retriers: List<Retrier>,
    private val next: Endpoint,
    travels: Travels,
    private val chance: Chance,
) {
    private val numbers = AttemptHeaders.Settings(
        amzHeaders = false,
        numbersRetries = travels != Travels.NOTHING,
        meshRetries = true,
    )

    /** Returns the last answer, good or bad, or throws what the last attempt threw. */
    suspend fun call(trip: Trip, options: CallOptions = CallOptions.DEFAULT): HttpOutcome {
        val retrier = retriers[chance.below(retriers.size)]
        val headers = numbers.ofCall(retrier.policy.maxAttempts, isNumbered = false)
        return retrier(options) { attempt -> next.ask(Request(headers.of(attempt), trip)).await() }
    }
}

/** A service that makes a call for each request, and passes its answer on. */
internal class Service(
    private val caller: Caller,
    private val travels: Travels,
    private val time: VirtualTime,
    private val scope: CoroutineScope,
) : Endpoint {
    override fun ask(request: Request): Deferred<HttpOutcome> {
        val answer = CompletableDeferred<HttpOutcome>()
        scope.launch(start = CoroutineStart.UNDISPATCHED) { answer.complete(serve(request)) }
        return answer
    }

    private suspend fun serve(request: Request): Answer {
        if (travels == Travels.NOTHING) return Answer(statusOf(request.trip) {})
        val served = ServedRequest(readUpstream(request.headers::get), time)
        val status = serving(served) { statusOf(request.trip, served::failed) }
        val marks = if (served.isRetriedBelow(status)) mapOf(SHOULD_RETRY to "false") else emptyMap()
        return Answer(status, headers = marks)
    }

    private suspend fun statusOf(trip: Trip, onFailure: (Throwable) -> Unit): Int = try {
        caller.call(trip).status
    } catch (e: Exception) {
        onFailure(e)
        GATEWAY_TIMEOUT
    }

    private companion object {
        const val GATEWAY_TIMEOUT = 504
    }
}
