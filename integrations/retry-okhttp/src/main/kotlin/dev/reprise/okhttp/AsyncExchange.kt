package dev.reprise.okhttp

import dev.reprise.core.Attempt
import dev.reprise.core.CallOptions
import dev.reprise.core.http.BodyPeek
import dev.reprise.java.AsyncAttempt
import okhttp3.Call
import okhttp3.Callback
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage

/** The attempts of one enqueued call. Each is enqueued by itself, so that a wait holds no thread of the dispatcher. */
internal class AsyncExchange(retries: OkHttpRetries, private val call: RetryingCall, options: CallOptions) :
    AsyncAttempt<OkHttpOutcome> {
    private val retrier = retries.retrierOf(call.request())
    private val options = retries.named(options, call.request(), retrier)
    private val requests = retries.requestsOf(call.request(), retrier)

    @Volatile
    private var received: Received? = null

    /** Begins the call, which ends with [delivery]. */
    fun enqueue(delivery: Delivery) {
        val future = retrier.retrier.withOptions(options).outcomeAsyncWithAttempt(this)
        call.onCancel { future.cancel(true) }
        future.whenComplete { outcome, failure ->
            if (outcome != null) delivery.of(outcome) else delivery.failed(failure)
        }
    }

    override fun start(attempt: Attempt): CompletionStage<OkHttpOutcome> {
        val sent = call.newAttempt(requests.of(attempt), attempt)
        return Received(sent, retrier.peek).also { received = it }.also(sent::enqueue)
    }

    override fun discard(result: OkHttpOutcome) {
        requests.keepCredentials(result.response)
        result.response.close()
    }

    override fun releasesBeforeWait(): Boolean = true

    /** A response speaks for itself: its verdict says whether it may be repeated. */
    override fun mayRepeat(): Boolean = received?.hasResponse == true ||
        call.sent?.areUndone(received?.failure, call.request().body?.isOneShot() == true) != false
}

/** What comes of [call]; cancelling it cancels that. */
private class Received(private val call: Call, private val peek: BodyPeek) :
    CompletableFuture<OkHttpOutcome>(),
    Callback {
    /** What the call has failed with. */
    @Volatile
    var failure: IOException? = null
        private set

    val hasResponse: Boolean get() = isDone && !isCompletedExceptionally

    override fun onResponse(call: Call, response: Response) {
        if (!complete(OkHttpOutcome(response, peek))) response.close()
    }

    override fun onFailure(call: Call, e: IOException) {
        failure = e
        completeExceptionally(e)
    }

    override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
        val isCancelled = super.cancel(mayInterruptIfRunning)
        if (isCancelled) call.cancel()
        return isCancelled
    }
}
