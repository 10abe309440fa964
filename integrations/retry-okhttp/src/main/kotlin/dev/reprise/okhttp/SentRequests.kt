package dev.reprise.okhttp

import dev.reprise.core.Repeat
import dev.reprise.core.classify.EngineErrors
import dev.reprise.core.classify.Verdict
import okhttp3.Call
import okhttp3.EventListener

/**
 * Counts what one attempt sends, redirects and the like included. A failure tells of the last request only: a refused
 * connection at the second address says nothing of the first, which was done.
 */
internal class SentRequests private constructor() : EventListener() {
    // OkHttp tells the events of one call one after the other, on whatever thread.
    @Volatile
    private var begun = 0

    /** An attempt begins. */
    fun attemptBegins() {
        begun = 0
    }

    override fun requestHeadersStart(call: Call) {
        begun++
    }

    /**
     * Whether no server has done anything of the attempt that ended with [failure]: nothing was sent, or one request
     * whose stream the server refused. A body that [isOneShot] is gone then all the same.
     */
    fun areUndone(failure: Throwable?, isOneShot: Boolean): Boolean = when (begun) {
        0 -> true
        1 -> !isOneShot && failure != null && isRefusedStream(failure)
        else -> false
    }

    /** Of what OkHttp throws, these rules take nothing else for unsent. */
    private fun isRefusedStream(failure: Throwable) =
        (EngineErrors.classifyFailure(failure) as? Verdict.Retry)?.unsent == true

    companion object {
        /** The count for a call that may be repeated as [repeat] says; `null` if what was sent makes no difference. */
        fun of(repeat: Repeat): SentRequests? = if (repeat == Repeat.IF_UNSENT) SentRequests() else null
    }
}
