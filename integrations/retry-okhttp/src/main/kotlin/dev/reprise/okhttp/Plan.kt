package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.Repeat
import dev.reprise.core.shell.http.HttpCall
import dev.reprise.java.JavaRetrier
import dev.reprise.java.internal.HttpFaces
import okhttp3.Request
import okhttp3.Response
import java.util.concurrent.CopyOnWriteArrayList

/**
 * The plan of one call: its rules, known before its first attempt, and the state that its attempts share. Two attempts
 * may run at once, on any threads.
 */
internal class Plan(retries: OkHttpRetries, request: Request) {
    private val body = request.body

    /** The rules of the request. One that is written while its response is read is sent once. */
    val call: HttpCall<JavaRetrier> =
        retries.callOf(request).let { if (body?.isDuplex() == true) it.once() else it }
    private val repeat = call.options.repeat

    /** OkHttp's own repeats that are allowed. */
    val ownRepeats: OwnRepeats =
        OwnRepeats.of(repeat, call.asked?.repeat == Repeat.NEVER, call.policy.classifier)

    /** Whether OkHttp may repeat by itself in [attempt]. One after which the quota pays no retry counts as the last. */
    fun allowsOwnRepeats(attempt: Attempt): Boolean = ownRepeats.areAllowed(attempt.isLast || !paysRetry)

    private val paysRetry: Boolean
        get() {
            val quota = call.retrier.retrier().quota ?: return true
            return quota.available(call.options.operation) >= (call.policy.quota?.cost ?: 0)
        }

    /** The body that must be sent once, if the request has one. */
    private val oneShot = body?.takeIf { it.isOneShot() || (ownRepeats == OwnRepeats.OFF && !it.isDuplex()) }
        ?.let(::OneShotWatch)

    val requests: AttemptRequests = AttemptRequests(request, oneShot, call.headers)

    /** Whether two executions of one attempt may be under way at once: not of a body that is sent once, nor of a tunnel. */
    val mayRunTwice: Boolean = oneShot == null && request.header("Upgrade") == null

    private val dependsOnSent =
        repeat == Repeat.IF_UNSENT || (repeat == Repeat.SAFE && body != null) || oneShot != null

    /** The requests that the executions of the present attempt have sent. */
    private val sent = CopyOnWriteArrayList<SentRequests>()

    /**
     * An execution begins. Returns the counter of its requests; `null` for a call whose repeats do not depend on them.
     */
    fun executionBegins(): SentRequests? =
        if (dependsOnSent) SentRequests(repeat, oneShot).also { sent += it } else null

    /** The retrier of the call, which is [request]'s. */
    fun retrier(request: Request): JavaRetrier = HttpFaces.named(call, request.method, request.url.host)

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
            return OkHttpOutcome(response, call.peek, replaces)
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
}

private const val REQUEST_TIMEOUT = 408
