package dev.reprise.okhttp

import dev.reprise.core.CallOptions
import dev.reprise.core.Repeat
import okhttp3.Request

/**
 * A request's own retry settings: a tag of the type [RetryTag]. With Retrofit, a parameter `@Tag RetryTag`.
 *
 * ```kotlin
 * val builder = Request.Builder().url(url).post(body)
 * builder.tag(RetryTag::class.java, RetryTag.IDEMPOTENT)
 * ```
 *
 * Immutable.
 */
public class RetryTag private constructor(
    /** The options of the request. A body that can be sent only once is still not sent again. */
    public val options: CallOptions,
) {
    override fun toString(): String = "RetryTag($options)"

    public companion object {
        /**
         * Never retries the request. Redirects and authentication still work, and OkHttp itself repeats a request without a
         * body once after a 503 with `Retry-After: 0`.
         */
        @JvmField
        public val NO_RETRY: RetryTag = RetryTag(CallOptions { repeat = Repeat.NEVER })

        /** Repeating the request does no harm, with any method. */
        @JvmField
        public val IDEMPOTENT: RetryTag = RetryTag(CallOptions { repeat = Repeat.SAFE })

        /**
         * Names the operation for listeners, says how long it may take, whether it is a long poll and whether it may be
         * repeated. Method and idempotency key decide that if [options] do not.
         */
        @JvmStatic
        public fun of(options: CallOptions): RetryTag = RetryTag(options)
    }
}

/**
 * Never retries this request. Redirects and authentication still work, and OkHttp itself repeats a request without a body
 * once after a 503 with `Retry-After: 0`.
 */
public fun Request.Builder.noRetry(): Request.Builder = tag(RetryTag::class.java, RetryTag.NO_RETRY)

/** Declares that repeating this request does no harm, with any method. */
public fun Request.Builder.idempotent(): Request.Builder = tag(RetryTag::class.java, RetryTag.IDEMPOTENT)

/**
 * Names this request's operation for listeners, says how long it may take, whether it is a long poll and whether it may be
 * repeated. Method and idempotency key decide that if [options] do not. Replaces [noRetry] and [idempotent].
 */
public fun Request.Builder.callOptions(options: CallOptions): Request.Builder =
    tag(RetryTag::class.java, RetryTag.of(options))
