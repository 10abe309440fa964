package dev.reprise.okhttp

import dev.reprise.core.Attempt
import okhttp3.Request
import okhttp3.Response
import java.io.IOException

/** Sends the attempts of one blocking call. */
internal interface Sender {
    /** Whether the caller has cancelled the call. */
    fun isCanceled(): Boolean

    /** Sends [request] and returns the response, its body unread. [sent] counts the requests. */
    @Throws(IOException::class)
    fun send(request: Request, attempt: Attempt, sent: SentRequests?): Response

    /** Whether two [send]s may run at once. */
    val mayRunTwice: Boolean

    /** Whether the client is set to repeat requests by itself. */
    val repeatsByItself: Boolean

    /** Gives [response] the client's own timeouts: from now on it is the caller's. */
    fun release(response: Response)

    /** Ends what the [send] of [attempt] waits for, unless another has begun. From any thread; may block. */
    fun cut(attempt: Attempt)

    /** Has [action] run when the call is cancelled; at once if it is. Does nothing from the second time on. */
    fun onCancel(action: () -> Unit)
}
