package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.WaitGuard
import dev.reprise.java.internal.Elsewhere
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
    private val retrier = plan.retrier

    /** Makes attempts until a response is accepted or the policy gives up. */
    fun execute(): Response {
        if (retrier.policy.hedge != null && !sender.mayRunTwice) retrier.retrier.retrier().setup.warn(NO_COPIES)
        val options = plan.options(request)
        // The first wait may be for a send permit, before any attempt; a long poll may wait with its last response in hand.
        if (retrier.retrier.retrier().sendRate != null || options.longPolling) sender.onCancel(guard::fire)
        val outcome =
            try {
                retrier.retrier.withOptions(options).outcomeWithAttempt(this)
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
        var outcome: OkHttpOutcome? = null
        var failure: Throwable? = null
        val sent = plan.executionBegins()
        try {
            outcome = send(attempt, sent)
            sent?.responded()
        } catch (e: Throwable) {
            failure = e
            sent?.failed(e)
        }
        guard.attempt(false)
        if (sender.isCanceled()) {
            outcome?.response?.close()
            throw CancellationException("Canceled").apply { failure?.let(::initCause) }
        }
        if (outcome != null) return outcome
        sender.onCancel(guard::fire)
        throw failure!!
    }

    private fun send(attempt: Attempt, sent: SentRequests?): OkHttpOutcome {
        if (sender.isCanceled()) throw IOException("Canceled")
        val limit = AttemptLimit.of(attempt, sender)
        val outcome =
            try {
                plan.outcome(sender.send(plan.requests.of(attempt), attempt, sent), attempt, sender.repeatsByItself)
            } catch (e: Throwable) {
                try {
                    limit?.end()
                } catch (timeout: Exception) {
                    timeout.addSuppressed(e)
                    throw timeout
                }
                throw e
            }
        try {
            limit?.end()
        } catch (timeout: Exception) {
            outcome.response.close()
            throw timeout
        }
        sender.release(outcome.response)
        return outcome
    }

    /** Before the wait. OkHttp reads what is left of a body for up to 100 ms, to use its connection again. */
    override fun discard(result: OkHttpOutcome) {
        plan.requests.rejected(result.response)
        result.response.close()
        sender.onCancel(guard::fire)
    }

    override fun mayRunTwice(): Boolean = plan.mayRunTwice && sender.mayRunTwice

    /** A thread that is blocked in a socket feels no interrupt. To close one may block, so another thread does. */
    override fun cut(attempt: Attempt): Unit = Elsewhere.run { sender.cut(attempt) }

    override fun releasesBeforeWait(): Boolean = true

    override fun mayRepeat(): Boolean = plan.mayRepeat()

    private companion object {
        const val NO_COPIES = "a policy has a hedge, and RetryInterceptor sends no copies: use RetryingCallFactory"
    }
}
