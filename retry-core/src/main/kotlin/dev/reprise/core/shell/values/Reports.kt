@file:Suppress("EXTENSION_SHADOWED_BY_MEMBER") // The members are internal: other modules see the extensions alone.
@file:JvmName("Reports")

package dev.reprise.core.shell.values

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryOutcome
import dev.reprise.core.Upstream
import dev.reprise.core.UpstreamHeaders
import dev.reprise.core.shell.ShellApi
import java.util.function.Function

/** All waits between attempts, in ns. */
@ShellApi public val RetryOutcome<*>.totalDelayNanos: Long get() = totalDelayNanos

/** The wait in ns. */
@ShellApi public val RetryEvent.PermitWaited.waitNanos: Long get() = waitNanos

/** The time before the copy in ns. */
@ShellApi public val RetryEvent.HedgeStarted.delayNanos: Long get() = delayNanos

/** The wait in ns. */
@ShellApi public val RetryEvent.RetryScheduled.delayNanos: Long get() = delayNanos

/** The backoff's ceiling in ns. */
@ShellApi public val RetryEvent.RetryScheduled.ceilingNanos: Long get() = ceilingNanos

/** The backoff after jitter in ns. */
@ShellApi public val RetryEvent.RetryScheduled.backoffNanos: Long get() = backoffNanos

/** All waits between attempts, in ns. */
@ShellApi public val RetryEvent.CallSucceeded.totalDelayNanos: Long get() = totalDelayNanos

/** All waits between attempts, in ns. */
@ShellApi public val RetryEvent.CallGaveUp.totalDelayNanos: Long get() = totalDelayNanos

/** The caller's wait before the call returns, in ns. */
@ShellApi public val RetryEvent.CallGaveUp.lastDelayNanos: Long get() = lastDelayNanos

/** Why the call gave up beyond its reason: the rule that rejected, or the tokens that the quota lacked; `null` for nothing. */
@ShellApi public val RetryEvent.CallGaveUp.detail: String? get() = detail

/**
 * Reads the upstream from a request's headers; [headers] returns the first value of a header, or `null`. The number is the highest of
 * `amz-sdk-request`, `x-envoy-attempt-count` and `grpc-previous-rpc-attempts`; the limit is the shortest of `grpc-timeout` and
 * `x-envoy-expected-rq-timeout-ms`. A value that cannot be read is ignored: a header can only reduce retries.
 */
@ShellApi public fun readUpstream(headers: Function<String, String?>): Upstream = UpstreamHeaders.read(headers)
