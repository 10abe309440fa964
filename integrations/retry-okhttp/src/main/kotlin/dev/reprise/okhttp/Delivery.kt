package dev.reprise.okhttp

import dev.reprise.core.RetryOutcome
import okhttp3.Callback
import java.io.IOException

/** Hands the end of an enqueued [call] to the caller's [callback], once. */
internal class Delivery(private val call: RetryingCall, private val callback: Callback) {
    /** The call has ended by itself, mostly on a thread of the dispatcher. */
    fun of(outcome: RetryOutcome<OkHttpOutcome>, requests: AttemptRequests) {
        val response =
            try {
                call.end(outcome.response(requests))
            } catch (e: Throwable) {
                return failed(e as? IOException ?: IOException(e))
            }
        guarded { callback.onResponse(call, response) }
    }

    /** The call was cancelled, on some thread of the user's. Do not run a callback there. */
    fun failed(failure: Throwable) {
        val thrown = call.end(failure as? IOException ?: canceled(failure))
        call.onDispatcher { guarded { callback.onFailure(call, thrown) } }
    }

    /**
     * Handles a callback's exception as OkHttp does: an `IOException` is dropped, anything else goes to the thread's
     * handler.
     */
    private inline fun guarded(tell: () -> Unit) {
        try {
            tell()
        } catch (_: IOException) {
            // OkHttp writes a line into its log. The call has ended, and the caller knows.
        } catch (e: Throwable) {
            val thread = Thread.currentThread()
            thread.uncaughtExceptionHandler.uncaughtException(thread, e)
        }
    }
}
