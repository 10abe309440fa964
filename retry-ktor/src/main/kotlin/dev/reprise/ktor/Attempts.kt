package dev.reprise.ktor

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.RetryTrace
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.coroutines.shell.SuspendAttempt
import io.ktor.client.call.HttpClientCall
import io.ktor.client.engine.HttpClientEngineCapability
import io.ktor.client.plugins.Sender
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.client.request.forms.MultiPartFormDataContent
import io.ktor.client.request.setBody
import io.ktor.client.utils.unwrapCancellationException
import io.ktor.http.content.OutgoingContent
import io.ktor.util.AttributeKey
import io.ktor.utils.io.cancel
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableJob
import kotlinx.coroutines.Job
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.job
import java.io.IOException
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.nanoseconds

/**
 * The attempts of one call as requests. Each is a duplicate of the caller's request, with a job of its own: plugins inside
 * change what they send, and `HttpTimeout` cancels its request's job when the time is up, whatever has become of the
 * response. So each attempt begins with the request as its caller made it.
 *
 * None of them outlives the [lifeline]: the job of the caller's request, which plugins outside of this one may cancel.
 * Confined to one call, whose first attempt may have two executions at once.
 */
internal class Attempts(
    private val retries: RetryPlugin,
    private val sender: Sender,
    private val request: HttpRequestBuilder,
    private val policy: RetryPolicy,
    private val peek: BodyPeek,
    bodyKind: BodyKind,
) : SuspendAttempt<KtorOutcome>() {
    private val opening = if (bodyKind == BodyKind.REPLAYABLE) null else Opening()

    /** Not if the caller reads the response as it arrives: SSE and WebSockets do so too. */
    override val mayRunTwice: Boolean = opening == null && SKIP_SAVE_BODY !in request.attributes
    private val form =
        if (bodyKind == BodyKind.PARTS) innermost(request.body as OutgoingContent) as MultiPartFormDataContent else null

    /** The attempt under way; of two executions the first one. */
    private var last: Attempt? = null

    private val lifeline: Job = request.executionContext
    private val headers = retries.marks.ofCall(request, policy.maxAttempts)
    private val credentials = Credentials()

    /** The response before the last, without its body: the result of a call that gets no send permit for a retry. */
    private var rejected: HttpClientCall? = null
    private var hasCopy = false

    /** Ktor's comparison of the length that a response without a body names with the bytes that came. */
    private var misread: Throwable? = null

    init {
        if (opening != null) watched(request.body as OutgoingContent, opening)?.let { request.setBody(it) }
    }

    override val kind: ResultKind get() = ResultKind.RESPONSE

    /** Sends one attempt and returns its response; throws a cancellation only if it is the caller's own. */
    override suspend fun invoke(attempt: Attempt): KtorOutcome {
        if (attempt.isCopy) hasCopy = true else last = attempt
        val sent = duplicate()
        retries.marks.mark(sent, attempt, headers)
        val head = SeenHead(policy).also { sent.attributes.put(SEEN_HEAD, it) }
        try {
            return head.outcomeOf(sender.execute(sent).also { unpackOnce(it) }).also { it.look(peek) }
        } catch (e: Throwable) {
            // What the attempt has started ends with it.
            sent.executionContext.cancel()
            val failure = failureOf(e)
            if (failure is IllegalStateException && head.isBodiless) misread = failure
            throw failure
        } finally {
            (sent.executionContext as CompletableJob).complete()
        }
    }

    /** Whether the request's body can be sent again. Reads the parts of a form. */
    override suspend fun mayRepeat(): Boolean = opening?.hasBegun != true || form?.canBeSentAgain() == true

    override fun verdictOn(failure: Throwable): Verdict? = if (failure === misread) Verdict.Reject else null

    /** Tells the hooks of a retry. */
    override fun beforeRetry(failure: Throwable?, result: KtorOutcome?, delayNanos: Long) {
        result?.call?.let { rejected = it }
        if (retries.hooks.isEmpty()) return
        val notice = RetryNotice(last!!.number, failure, result?.response, delayNanos.nanoseconds)
        for (hook in retries.hooks) hook(notice)
    }

    /** Cancels [wait] when the caller's request is cancelled or the client is closed meanwhile. */
    override suspend fun around(wait: suspend () -> Unit) {
        coroutineScope {
            val waiter = coroutineContext.job
            val handle = lifeline.invokeOnCompletion { if (it != null) waiter.cancel(becauseOf(it)) }
            val closing = retries.closing.invokeOnCompletion { waiter.cancel(CLOSED) }
            try {
                wait()
            } finally {
                handle.dispose()
                closing.dispose()
            }
        }
        lifeline.ensureActive()
    }

    /** Releases a rejected response before the wait, so that nothing of it is kept. */
    override suspend fun discard(result: KtorOutcome) {
        result.release(retries.drainBytes)
    }

    /**
     * The response that the caller gets at the end of the call, with its report; throws the call's failure, as callers of
     * Ktor know it: an [IOException] in place of one of ours, which is its cause. The trace is found in either.
     */
    suspend fun end(ended: RetryOutcome<KtorOutcome>): HttpClientCall = try {
        delivered(ended)
    } catch (e: AttemptTimeoutException) {
        throw SocketTimeoutException(e.message).initCause(e)
    } catch (e: RetryStoppedException) {
        throw IOException(e.message, e)
    }

    private suspend fun delivered(ended: RetryOutcome<KtorOutcome>): HttpClientCall {
        val response = ended.getOrThrow().call?.let { withinLimit(it, ended.trace) } ?: rejected!!.withoutBody()
        val requests = ended.attempts + if (hasCopy) 1 else 0
        response.attributes.put(REPORT, RetryReport(ended, requests))
        return response
    }

    /**
     * [call] with its body, which is read within the limits of the last attempt. A failure to read it carries [trace].
     */
    private suspend fun withinLimit(call: HttpClientCall, trace: RetryTrace?): HttpClientCall {
        val limit = last?.timeLeftNanos ?: UNLIMITED_NANOS
        val kept = keptBodyOf(call)
        try {
            if (limit == UNLIMITED_NANOS || kept == null) return call.savedIfLeft()
            orNullAfter(limit.nanoseconds) { call.savedIfLeft() }?.let { return it }
            kept.source.cancel()
            call.response.coroutineContext.job.cancel()
            throw AttemptTimeoutException(last!!.number, last!!.limitNanos)
        } catch (e: Throwable) {
            currentCoroutineContext().ensureActive()
            if (trace != null && RetryTrace.of(e) == null) e.addSuppressed(trace)
            throw e
        }
    }

    /**
     * The failure that [thrown] means for the call. Engines and `HttpTimeout` cancel the request's job when an attempt
     * takes too long, which then looks like a cancellation. Only a cancellation by the caller, or from outside of the
     * plugin, is one.
     */
    private suspend fun failureOf(thrown: Throwable): Throwable {
        if (thrown is CancellationException) currentCoroutineContext().ensureActive()
        val cut = runCatching { lifeline.ensureActive() }.exceptionOrNull()
        if (cut != null) return thrown as? CancellationException ?: cut
        if (thrown !is CancellationException) return thrown
        val cause = thrown.unwrapCancellationException()
        return if (cause is CancellationException) thrown else cause
    }

    /** The caller's request anew, with a job and settings of its own. */
    private fun duplicate(): HttpRequestBuilder {
        val copy = HttpRequestBuilder().takeFrom(request)
        copy.attributes.getOrNull(CAPABILITIES)?.let { copy.attributes.put(CAPABILITIES, HashMap(it)) }
        credentials.giveTo(copy)
        val job = copy.executionContext
        val tie = Job(lifeline)
        tie.invokeOnCompletion { if (it != null) job.cancel(becauseOf(it)) }
        job.invokeOnCompletion { tie.complete() }
        return copy
    }

    private fun becauseOf(cause: Throwable) = CancellationException(cause.message, cause)
}

/** The settings of engines, which plugins change in each request. Internal in Ktor, and keys are equal by name. */
private val CAPABILITIES = AttributeKey<MutableMap<HttpClientEngineCapability<*>, Any>>("EngineCapabilities")

/** Why waits end when their client is closed. */
internal val CLOSED = CancellationException("the client was closed")
