package dev.reprise.okhttp

import dev.reprise.core.Attempt
import okhttp3.Request
import okhttp3.Response
import java.io.IOException

/** Sends the attempts of one blocking call. */
internal interface Sender {
    /** Whether the caller has cancelled the call. */
    fun isCanceled(): Boolean

    /** Sends [request] and returns the response, its body unread. */
    @Throws(IOException::class)
    fun send(request: Request, attempt: Attempt): Response

    /** What the last attempt has sent; `null` for a call whose repeats do not depend on it. */
    val sent: SentRequests?

    /** Ends what the running [send] waits for. From any thread. */
    fun cut()

    /** Has [action] run when the call is cancelled; at once if it is. Does nothing from the second time on. */
    fun onCancel(action: () -> Unit)
}
