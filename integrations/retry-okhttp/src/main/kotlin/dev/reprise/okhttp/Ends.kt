package dev.reprise.okhttp

import dev.reprise.core.RetryOutcome
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.java.internal.HttpFaces
import okhttp3.Response
import java.io.IOException
import java.io.InterruptedIOException
import java.util.concurrent.CancellationException

/*
 * The end of a call for its caller. OkHttp's contract is an IOException: any other exception ends the thread of an
 * asynchronous call, and on Android the app.
 */

/** The response, with a report of how it came. */
@Throws(IOException::class)
internal fun RetryOutcome<OkHttpOutcome>.response(requests: AttemptRequests): Response {
    val outcome = HttpFaces.result(this) { it.drop() }
    val response = requests.asAsked(outcome.response)
    val isFirstTry = this is RetryOutcome.Success && attempts == 1 && requests.areAttempts
    if (isFirstTry) return response
    return response.with(RetryReport(this, requests.count(attempts, response)))
}

/** The exception of a cancelled call. */
internal fun canceled(cause: Throwable): IOException = IOException("Canceled", cause)

/** The exception of a call whose thread was interrupted. The interrupt flag stays set, as OkHttp leaves it. */
internal fun interrupted(cause: CancellationException): IOException =
    InterruptedIOException("interrupted").also { it.initCause(cause) }
