package dev.reprise.ktor

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.ErrorRule
import dev.reprise.core.ErrorTable
import dev.reprise.core.FailureKind
import dev.reprise.core.Jitter
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Statuses
import dev.reprise.core.TransportErrors
import io.ktor.client.network.sockets.ConnectTimeoutException
import io.ktor.client.plugins.HttpRequestTimeoutException
import java.net.SocketTimeoutException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/**
 * A policy with the conditions of Ktor's `HttpRequestRetry` after `retryOnExceptionOrServerErrors`: every 5xx, the
 * transport's errors, a timeout only with [retryOnTimeout], no quota. It waits half to all of `exponentialDelay`'s `baseDelay * base^(retry - 1)`, up to
 * [maxDelay], without the random second. Two differences keep it safe: a POST is repeated only if that does no harm, and
 * `Retry-After` is followed for up to a minute; a longer one ends the call.
 */
public fun likeHttpRequestRetry(
    maxRetries: Int = 3,
    base: Double = 2.0,
    baseDelay: Duration = 1.seconds,
    maxDelay: Duration = 1.minutes,
    retryOnTimeout: Boolean = false,
): RetryPolicy {
    require(maxRetries >= 0) { "maxRetries must not be negative: $maxRetries" }
    return RetryPolicy {
        maxAttempts = maxRetries + 1
        classifier = Classifier.firstOf(
            ErrorTable(ErrorRule(FailureKind.TRANSIENT) { statuses = Statuses.between(500, 599) }),
            TransportErrors,
        )
        backoff = Backoff.exponential(baseDelay, factor = base, cap = maxDelay, jitter = Jitter.EQUAL)
        quota = null
        honourRetryAfter(1.minutes)
        if (!retryOnTimeout) {
            rejectOn<HttpRequestTimeoutException>()
            rejectOn<ConnectTimeoutException>()
            rejectOn<SocketTimeoutException>()
        }
    }.knowingKtor()
}
