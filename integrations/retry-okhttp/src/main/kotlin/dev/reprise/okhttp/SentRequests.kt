package dev.reprise.okhttp

import dev.reprise.core.EngineErrors
import dev.reprise.core.Repeat
import dev.reprise.core.Verdict
import okhttp3.Call
import okhttp3.EventListener
import okhttp3.Response
import java.io.IOException

/**
 * Counts the requests of one execution of an attempt, redirects and the like included, and notes its end. A failure
 * concerns the last request only: a refused connection at the second address says nothing of the first, which was done.
 */
internal class SentRequests(private val repeat: Repeat?, private val oneShot: OneShotWatch?) : EventListener() {
    // OkHttp sends the events of one call one after the other, on different threads.
    @Volatile
    private var begun = 0

    /** Whether a request's body is being written. OkHttp reports the end, and a failure to send, but not what the body throws. */
    @Volatile
    private var isWriting = false

    @Volatile
    private var failure: Throwable? = null

    @Volatile
    private var hasResponse = false

    /** The execution ended with a response. */
    fun responded() {
        hasResponse = true
    }

    /** The execution ended with [thrown]. */
    fun failed(thrown: Throwable) {
        failure = thrown
    }

    override fun requestHeadersStart(call: Call) {
        begun++
    }

    override fun requestBodyStart(call: Call) {
        isWriting = true
    }

    override fun requestBodyEnd(call: Call, byteCount: Long) {
        isWriting = false
    }

    override fun requestFailed(call: Call, ioe: IOException) {
        isWriting = false
    }

    override fun responseHeadersEnd(call: Call, response: Response) {
        oneShot?.answered(response.code)
    }

    /**
     * Whether the request may be repeated after this execution. The verdict on a response says so itself. Not if the request's
     * own body threw, which no server can cure. Only if no server has done anything of it, where repeating is unsafe: nothing
     * was sent, or one request whose stream the server refused.
     */
    fun mayRepeat(): Boolean = when {
        hasResponse -> true

        // The request's own body threw. An execution that was cut off has not failed yet, and may still be writing.
        failure != null && isWriting -> false

        repeat == Repeat.SAFE -> true

        begun == 0 -> true

        else -> begun == 1 && failure?.let(::isRefusedStream) == true
    }

    /** These rules take no other exception of OkHttp's for unsent. */
    private fun isRefusedStream(failure: Throwable) =
        (EngineErrors.classifyFailure(failure) as? Verdict.Retry)?.unsent == true
}
