package dev.reprise.apachehttp

import dev.reprise.core.Attempt
import dev.reprise.core.Repeat
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryTrace
import dev.reprise.core.shell.http.RetryReport
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.WaitGuard
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.HttpFaces
import org.apache.hc.client5.http.classic.ExecChain
import org.apache.hc.client5.http.impl.classic.RequestFailedException
import org.apache.hc.core5.concurrent.CancellableDependency
import org.apache.hc.core5.concurrent.ComplexCancellable
import org.apache.hc.core5.http.ClassicHttpRequest
import org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder
import java.util.concurrent.CancellationException

/** The attempts of one [request] on the thread that sends it. Confined to that call. */
internal class Exchange(
    retries: ApacheRetries,
    private val request: ClassicHttpRequest,
    private val scope: ExecChain.Scope,
    private val chain: ExecChain,
) : BlockingAttempt<ApacheOutcome, Exception> {
    private val target = scope.route.targetHost
    private val body = request.entity?.let(::WatchedEntity)
    private val call = retries.callOf(request, target, body?.isRepeatable == false, scope.clientContext)
    private val guard = WaitGuard()

    /** The caller's request, which he may cancel. */
    private val asked = scope.originalRequest as? CancellableDependency
    private val isCancelled: Boolean get() = asked?.isCancelled == true

    /** What cuts the attempt under way, or the response of the last one. */
    @Volatile
    private var cut = ComplexCancellable()
    private var last: Attempt? = null
    private var requests = 0

    /** Whether nothing of the last attempt was sent, or it got a response. */
    private var isSafe = true

    /** Makes attempts until a response is accepted or the policy gives up. */
    fun execute(): ClassicHttpResponse {
        HttpFaces.setup(call).warnOfHedge("the classic client of Apache sends no copies")
        asked?.setDependency {
            guard.fire()
            cut.cancel()
        }
        val end =
            try {
                HttpFaces.named(call, request.method, target.hostName).outcomeWithAttempt(this)
            } catch (e: CancellationException) {
                throw RequestFailedException("Request aborted", e)
            } finally {
                guard.end()
            }
        val outcome = HttpFaces.result(end) { it.drop() }
        val isFirstTry = end is RetryOutcome.Success && requests <= 1
        if (!isFirstTry) outcome.response.carry(RetryReport(end, requests))
        return outcome.deliver(limitOf(outcome, end.trace))
    }

    /** Bounds the rest of a failure's body by the time that the last attempt may take. */
    private fun limitOf(outcome: ApacheOutcome, trace: RetryTrace?): ExchangeLimit? {
        if (!outcome.isFailure || !outcome.isOpen) return null
        return ExchangeLimit.ofRest(last, call.retrier.waiter(), trace, cut::cancel, outcome::drop)
    }

    /** Its attempts share a context of the client. */
    override fun mayRunTwice(): Boolean = false

    override fun make(attempt: Attempt): ApacheOutcome {
        last = attempt
        isSafe = true
        val cut = ComplexCancellable().also { this.cut = it }
        guard.attempt(true)
        val limit = ExchangeLimit.of(attempt, call.retrier.waiter(), null, cut::cancel)
        var outcome: ApacheOutcome? = null
        var failure: Throwable? = null
        try {
            outcome = send(attempt, cut, limit)
        } catch (e: Throwable) {
            failure = e
        }
        limit?.close()
        guard.attempt(false)
        if (isCancelled) failure = CancellationException("Request aborted").also { it.initCause(failure) }
        if (limit?.isOver == true && outcome?.isOpen != false) failure = limit.timeout()
        if (failure == null) return outcome!!
        cut.cancel()
        throw failure
    }

    private fun send(attempt: Attempt, cut: ComplexCancellable, limit: ExchangeLimit?): ApacheOutcome {
        if (isCancelled) throw CancellationException("Request aborted")
        val sent = ClassicRequestBuilder.copy(request).setEntity(body).build()
        for ((name, value) in call.headers.of(attempt)) sent.setHeader(name, value)
        val runtime = AttemptRuntime(scope.execRuntime.fork(cut))
        var response: ClassicHttpResponse? = null
        try {
            // The client adds headers to the request, and copies the other for a redirect.
            val original = ClassicRequestBuilder.copy(sent).build()
            val inner = ExecChain.Scope(scope.exchangeId, scope.route, original, runtime, scope.clientContext)
            response = chain.proceed(sent, inner)
            return ApacheOutcome(response, call.peek, runtime.isPacked, cut, limit)
        } finally {
            requests += runtime.sent
            isSafe = response != null || runtime.sent == 0
        }
    }

    override fun discard(result: ApacheOutcome): Unit = result.drop()

    override fun releasesBeforeWait(): Boolean = true

    /** The failure may be a redirect's second request's, so what was sent is counted. */
    override fun mayRepeat(): Boolean = body?.hasThrown != true && (isSafe || call.options.repeat == Repeat.SAFE)
}
