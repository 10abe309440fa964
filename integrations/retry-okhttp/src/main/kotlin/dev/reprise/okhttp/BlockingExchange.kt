package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaWaiter
import dev.reprise.java.WaitGuard
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.HttpFaces
import okhttp3.Request
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.CancellationException

/**
 * The attempts of one blocking call, on the thread that makes it; a copy runs on an executor.
 */
internal class BlockingExchange(private val plan: Plan, private val request: Request, private val sender: Sender) :
    BlockingAttempt<OkHttpOutcome, Exception> {
    private val guard = WaitGuard()

    /** Makes attempts until a response is accepted or the policy gives up. */
    fun execute(): Response {
        val call = plan.call
        if (!sender.mayRunTwice) HttpFaces.setup(call).warnOfHedge(NO_COPIES)
        // The first wait may be for a send permit, before any attempt; a long poll may wait with its last response in hand.
        if (call.retrier.retrier().sendRate != null || call.options.longPolling) sender.onCancel(guard::fire)
        val outcome =
            try {
                plan.retrier(request).outcomeWithAttempt(this)
            } catch (e: CancellationException) {
                val isInterrupted = !sender.isCanceled() && Thread.currentThread().isInterrupted
                throw if (isInterrupted) interrupted(e) else canceled(e)
            } finally {
                guard.end()
            }
        return outcome.response(plan.requests)
    }

    override fun make(attempt: Attempt): OkHttpOutcome {
        guard.attempt(true)
        val sent = plan.executionBegins()
        val limit = ExchangeLimit.of(attempt, JavaWaiter.SYSTEM, null) { sender.cut(attempt) }
        var outcome: OkHttpOutcome? = null
        var failure: Throwable? = null
        try {
            if (sender.isCanceled()) throw IOException("Canceled")
            val response = sender.send(plan.requests.of(attempt), attempt, sent)
            outcome = plan.outcome(response, attempt, sender.repeatsByItself)
        } catch (e: Throwable) {
            failure = e
        }
        limit?.close()
        guard.attempt(false)
        if (limit?.isOver == true) {
            // Ends it if the timer was late, or waits until the timer has.
            sender.cut(attempt)
            failure = limit.timeout().apply { failure?.let(::addSuppressed) }
        }
        val isCanceled = sender.isCanceled()
        if (isCanceled) failure = CancellationException("Canceled").apply { initCause(failure) }
        if (failure == null) {
            sent?.responded()
            sender.release(outcome!!.response)
            return outcome
        }
        outcome?.response?.close()
        sent?.failed(failure)
        if (!isCanceled) sender.onCancel(guard::fire)
        throw failure
    }

    /** Before the wait. */
    override fun discard(result: OkHttpOutcome) {
        plan.requests.rejected(result.response)
        result.drop()
        sender.onCancel(guard::fire)
    }

    override fun mayRunTwice(): Boolean = plan.mayRunTwice && sender.mayRunTwice

    /** A thread that is blocked in a socket feels no interrupt. To close one may block, so another thread does. */
    override fun cut(attempt: Attempt): Unit = Elsewhere.run { sender.cut(attempt) }

    override fun releasesBeforeWait(): Boolean = true

    override fun mayRepeat(): Boolean = plan.mayRepeat()
}

private const val NO_COPIES = "RetryInterceptor sends no copies: use RetryingCallFactory"
