package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.http.HttpRetrier
import dev.reprise.java.JavaRetrier
import okhttp3.Request
import okhttp3.Response

/** What is known of one call before its first attempt, and what its attempts share. Confined to that call. */
internal class Plan(private val retries: OkHttpRetries, request: Request) {
    private val asked = retries.optionsOf(request)
    private val body = request.body

    val retrier: HttpRetrier<JavaRetrier> = retries.retrierOf(request)

    /** What OkHttp may repeat by itself. */
    val ownRepeats: OwnRepeats = OwnRepeats.of(asked.repeat, isOnce(request), retrier.policy.classifier)

    /** The body that must be sent once, if the request has one. */
    private val oneShot = body?.takeIf { it.isOneShot() || (ownRepeats == OwnRepeats.OFF && !it.isDuplex()) }
        ?.let(::OneShotWatch)

    val requests: AttemptRequests = retries.requestsOf(request, oneShot, retrier)

    /** What an attempt has sent; `null` for a call whose repeats do not depend on it. */
    val sent: SentRequests? =
        if (asked.repeat == Repeat.IF_UNSENT || (asked.repeat == Repeat.SAFE && body != null)) {
            SentRequests(asked.repeat)
        } else {
            null
        }

    /** The call's options, named if a listener could tell. */
    fun options(request: Request): CallOptions = retries.named(asked, request, retrier)

    private var hadTimeout = false

    /**
     * What [attempt] got. OkHttp repeats a 408 once unless its server asks for a wait; where that is off for this attempt
     * though the client is set to do so, [isClientSet], the retry has to replace it.
     */
    fun outcome(response: Response, attempt: Attempt, isClientSet: Boolean): OkHttpOutcome {
        val isTimeout = response.code == REQUEST_TIMEOUT && (response.header("Retry-After") ?: "0") == "0"
        val replaces = isTimeout && !hadTimeout && isClientSet && ownRepeats == OwnRepeats.LAST && !attempt.isLast
        hadTimeout = hadTimeout || isTimeout
        return OkHttpOutcome(response, retrier.peek, replaces)
    }

    /**
     * Whether another attempt may follow one that ended with [failure], or [hasResponse]: the verdict on a response says
     * whether it may be repeated, and a body that was read is not sent again.
     */
    fun mayRepeat(failure: Throwable?, hasResponse: Boolean): Boolean =
        oneShot?.isSpent != true && (hasResponse || sent?.mayRepeat(failure) != false)

    private fun isOnce(request: Request) = request.tag(RetryTag::class.java)?.options?.repeat == Repeat.NEVER

    private companion object {
        const val REQUEST_TIMEOUT = 408
    }
}
