package dev.reprise.okhttp

import dev.reprise.core.Repeat
import dev.reprise.core.classify.EngineErrors
import dev.reprise.core.classify.Verdict
import okhttp3.Call
import okhttp3.EventListener
import java.io.IOException

/**
 * Counts what one attempt sends, redirects and the like included. A failure tells of the last request only: a refused
 * connection at the second address says nothing of the first, which was done.
 */
internal class SentRequests(private val repeat: Repeat) : EventListener() {
    // OkHttp tells the events of one call one after the other, on whatever thread.
    @Volatile
    private var begun = 0

    /** Whether a request's body is being written. OkHttp reports the end unless the body itself throws. */
    @Volatile
    private var isWriting = false

    /** An attempt begins. */
    fun attemptBegins() {
        begun = 0
        isWriting = false
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

    /**
     * Whether the request may be repeated after an attempt that ended with [failure]: not if its own body threw, which
     * no server can cure. Only if no server has done anything of it, where repeating is unsafe: nothing was sent, or
     * one request whose stream the server refused.
     */
    fun mayRepeat(failure: Throwable?): Boolean = when {
        isWriting -> false
        repeat == Repeat.SAFE -> true
        begun == 0 -> true
        else -> begun == 1 && failure != null && isRefusedStream(failure)
    }

    /** Of what OkHttp throws, these rules take nothing else for unsent. */
    private fun isRefusedStream(failure: Throwable) =
        (EngineErrors.classifyFailure(failure) as? Verdict.Retry)?.unsent == true
}
