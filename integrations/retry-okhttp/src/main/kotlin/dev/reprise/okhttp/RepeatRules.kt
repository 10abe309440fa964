package dev.reprise.okhttp

import dev.reprise.core.CallOptions
import dev.reprise.core.shell.http.HttpRepeats
import okhttp3.Request

/**
 * Decides whether a request may be repeated: if its method, idempotency key or tag allows it and its body can be sent
 * again; otherwise only if the failure proves that nothing was sent.
 *
 * A one-shot body is sent once, but OkHttp opens it only when it has a connection: after a refused connection it is
 * still whole.
 */
internal object RepeatRules {
    /** The options of [request], for which its user [asked]; a key is a header with one of the names [keys]. */
    fun optionsOf(request: Request, keys: Set<String>, asked: CallOptions?): CallOptions {
        val body = request.body
        if (body?.isDuplex() == true) return HttpRepeats.once(asked)
        val isIdempotent =
            request.method in HttpRepeats.IDEMPOTENT_METHODS || keys.any { request.headers[it] != null }
        return HttpRepeats.optionsOf(asked, isIdempotent, isOneShot = body?.isOneShot() == true)
    }
}
