package dev.reprise.ktor

import dev.reprise.core.Attempt
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.HttpRepeats
import dev.reprise.coroutines.Retrier
import io.ktor.client.request.HttpRequestBuilder
import io.ktor.http.content.OutgoingContent
import io.ktor.utils.io.KtorDsl

/** The configuration of [Retry]. Confined to the client's creation. */
@KtorDsl
public class RetryPluginConfig internal constructor() {
    /** How to retry; a request may change it for itself with [retryPolicy]. */
    public var policy: RetryPolicy = RetryPolicy.HTTP

    /**
     * The retriers that the calls of a key share. Set it to share quota and send rate with other clients; the retriers then
     * bring their own policies and listeners, and [policy], [listeners] and [maxKeys] must be left alone.
     */
    public var retriers: RetrierCache<String, Retrier>? = null

    /** The listeners of every call. */
    public val listeners: MutableList<RetryListener> = mutableListOf()

    /** How many keys are kept; when there is one more, the least recently used goes. At least 1. */
    public var maxKeys: Int = 256
        set(value) {
            require(value >= 1) { "maxKeys must be at least 1: $value" }
            field = value
        }

    /** A request with one of these headers may be repeated whatever its method. */
    public val idempotencyKeys: MutableSet<String> = HttpRepeats.IDEMPOTENCY_KEYS.toMutableSet()

    /**
     * Whether requests carry `amz-sdk-invocation-id`, the same for all attempts of a call, and `amz-sdk-request`, such as
     * `attempt=2; max=3`, as the AWS SDKs send them.
     */
    public var amzHeaders: Boolean = false

    /**
     * Whether retries carry their number, as `amz-sdk-request: attempt=2`, so that a server does not retry further what it calls
     * for them. A number that the request brings is left alone.
     */
    public var numberRetries: Boolean = true

    /** Whether a sidecar may repeat requests, as its routes say; `false` sends `x-envoy-max-retries: 0`. */
    public var meshRetries: Boolean = true

    /** The name of a header that carries the attempt's number, from 1; `null` for none. */
    public var attemptHeader: String? = null

    /**
     * Ktor's limit of requests per call, attempts and redirects together: its own default, 20. For a policy with more
     * attempts set `install(HttpSend) { maxSendCount = … }`, and the same number here. Otherwise the policy is refused,
     * a request's own with an [IllegalArgumentException] when the request is made.
     */
    public var sendLimit: Int = 20

    /**
     * The bytes of a failure's body to read before it is judged: for the service's error code, JSON or XML, if no
     * header has it, and for your own classifiers, which find them in [KtorOutcome]. 0 for none; at least 64 KiB if the
     * policy has rules about messages or checksums. Reading takes a second at most, and the caller can still read the
     * whole body.
     */
    public var errorBodyBytes: Int = 0
        set(value) {
            field = BodyPeek.checkBytes(value)
        }

    /**
     * How many bytes of a rejected response's body are read, to give its connection back, before it is cancelled instead.
     */
    public var drainBytes: Long = 64 * 1024
        set(value) {
            require(value >= 0) { "drainBytes must not be negative: $value" }
            field = value
        }

    internal val hooks = mutableListOf<(RetryNotice) -> Unit>()
    internal var keyOf: ((HttpRequestBuilder) -> String)? = null
    internal var isReplayable: (OutgoingContent) -> Boolean = { false }
    internal val eachAttempt = mutableListOf<HttpRequestBuilder.(Attempt) -> Unit>()

    /** Sets which calls share quota and send rate; by default those with the same `host:port`. */
    public fun keyBy(key: (request: HttpRequestBuilder) -> String) {
        keyOf = key
    }

    /**
     * Calls [change] on the request of every attempt, the first included. Each attempt begins with the request as its
     * caller made it: no change remains in the next one.
     */
    public fun eachAttempt(change: HttpRequestBuilder.(attempt: Attempt) -> Unit) {
        eachAttempt += change
    }

    /**
     * Calls [look] with each retry before its wait: the failure, or a response whose head can still be read, and the
     * wait. An exception of [look] ends the call.
     */
    public fun beforeRetry(look: (RetryNotice) -> Unit) {
        hooks += look
    }

    /**
     * Marks bodies that can be sent again among those that the plugin does not know: a content of your own, or one that
     * a serializer writes to a channel.
     */
    public fun replayableIf(test: (body: OutgoingContent) -> Boolean) {
        isReplayable = test
    }
}
