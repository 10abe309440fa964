package dev.reprise.okhttp

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import okhttp3.Request

/**
 * Says what may be repeated: a request whose method, idempotency key or tag allows it, as long as its body can be sent
 * again; any other only if the failure proves that nothing was sent.
 *
 * A one-shot body is sent once, but OkHttp opens it only when a connection is there: after a refused connection it is
 * still whole.
 */
internal object RepeatRules {
    /** RFC 9110, section 9.2.2. */
    private val REPEATABLE_METHODS = setOf("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE")

    private val OPTIONS = Repeat.entries.associateWith { CallOptions { repeat = it } }

    /** What is known of [request]; a key is a header with one of the names [keys]. */
    fun optionsOf(request: Request, keys: Set<String>): CallOptions {
        val tag = request.tag(RetryTag::class.java)
        val repeat = repeatOf(request, tag, keys)
        val asked = tag?.options ?: return OPTIONS.getValue(repeat)
        return if (asked.repeat == repeat) asked else asked.with { this.repeat = repeat }
    }

    private fun repeatOf(request: Request, tag: RetryTag?, keys: Set<String>): Repeat {
        val body = request.body
        // A cache that has nothing says 504, and no server is asked: there is nothing to wait for.
        val isOnce = tag === RetryTag.NO_RETRY || body?.isDuplex() == true || request.cacheControl.onlyIfCached
        if (isOnce) return Repeat.NEVER
        val asked = tag?.options?.repeat ?: if (isIdempotent(request, keys)) Repeat.SAFE else Repeat.IF_UNSENT
        return if (asked == Repeat.SAFE && body?.isOneShot() == true) Repeat.IF_UNSENT else asked
    }

    private fun isIdempotent(request: Request, keys: Set<String>): Boolean =
        request.method in REPEATABLE_METHODS || keys.any { request.headers[it] != null }
}
