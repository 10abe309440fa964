package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.core.shell.http.HttpRetrier
import dev.reprise.java.JavaRetrier
import okhttp3.Request
import okhttp3.Response
import java.util.concurrent.CopyOnWriteArrayList

/**
 * The plan of one call: its rules, known before its first attempt, and the state that its attempts share. Two attempts
 * may run at once, on any threads.
 */
internal class Plan(private val retries: OkHttpRetries, request: Request) {
    private val body = request.body

    val retrier: HttpRetrier<JavaRetrier> = retries.retrierOf(request)

    /** The options that the user gave, to the request or to the retrier. */
    private val given: CallOptions? =
        HttpRepeats.asked(request.tag(RetryTag::class.java)?.options, retrier.retrier.options())
    private val asked: CallOptions = retries.optionsOf(request, given)

    /** OkHttp's own repeats that are allowed. */
    val ownRepeats: OwnRepeats = OwnRepeats.of(asked.repeat, given?.repeat == Repeat.NEVER, retrier.policy.classifier)

    /** Whether OkHttp may repeat by itself in [attempt]. One after which the quota pays no retry counts as the last. */
    fun allowsOwnRepeats(attempt: Attempt): Boolean = ownRepeats.areAllowed(attempt.isLast || !paysRetry)

    private val paysRetry: Boolean
        get() {
            val quota = retrier.retrier.retrier().quota ?: return true
            return quota.available(asked.operation) >= (retrier.policy.quota?.cost ?: 0)
        }

    /** The body that must be sent once, if the request has one. */
    private val oneShot = body?.takeIf { it.isOneShot() || (ownRepeats == OwnRepeats.OFF && !it.isDuplex()) }
        ?.let(::OneShotWatch)

    val requests: AttemptRequests = retries.requestsOf(request, oneShot, retrier)

    /** Whether two executions of one attempt may be under way at once: not of a body that is sent once, nor of a tunnel. */
    val mayRunTwice: Boolean = oneShot == null && request.header("Upgrade") == null

    private val dependsOnSent =
        asked.repeat == Repeat.IF_UNSENT || (asked.repeat == Repeat.SAFE && body != null) || oneShot != null

    /** The requests that the executions of the present attempt have sent. */
    private val sent = CopyOnWriteArrayList<SentRequests>()

    /**
     * An execution begins. Returns the counter of its requests; `null` for a call whose repeats do not depend on them.
     */
    fun executionBegins(): SentRequests? =
        if (dependsOnSent) SentRequests(asked.repeat, oneShot).also { sent += it } else null

    /** The call's options, named if a listener could tell. */
    fun options(request: Request): CallOptions = retries.named(asked, request, retrier)

    @Volatile
    private var hadTimeout = false

    /**
     * The outcome of [attempt]. OkHttp repeats a 408 once unless its server asks for a wait. If that is off for this
     * attempt although the client has it on, [isClientSet], the retry must replace it. If the body throws what it may not,
     * the response is closed.
     */
    fun outcome(response: Response, attempt: Attempt, isClientSet: Boolean): OkHttpOutcome {
        val isTimeout = response.code == REQUEST_TIMEOUT && (response.header("Retry-After") ?: "0") == "0"
        val isOff = ownRepeats == OwnRepeats.LAST && !allowsOwnRepeats(attempt)
        val isRepeated = response.priorResponse?.code == REQUEST_TIMEOUT
        val replaces = isTimeout && !hadTimeout && isClientSet && isOff && !isRepeated
        hadTimeout = hadTimeout || isTimeout
        try {
            return OkHttpOutcome(response, retrier.peek, replaces)
        } catch (e: Throwable) {
            runCatching { response.close() }.exceptionOrNull()?.let(e::addSuppressed)
            throw e
        }
    }

    /** Whether another attempt may follow the one that has ended: a body that was read is not sent again. */
    fun mayRepeat(): Boolean {
        val ended = sent.toList()
        sent.clear()
        return oneShot?.isSpent != true && ended.all { it.mayRepeat() }
    }

    private companion object {
        const val REQUEST_TIMEOUT = 408
    }
}
