package dev.reprise.core

import dev.reprise.core.shell.text.digitsOrNull
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import java.util.concurrent.TimeUnit
import java.util.function.Function

/**
 * The headers in which callers tell the number of an attempt and how long they wait. All of it is input from outside: a value
 * is looked at up to [MOST_CHARS] characters, and a number has at most [MOST_DIGITS] digits.
 */
internal object UpstreamHeaders {
    /** The AWS SDKs, and the HTTP faces of this library: `attempt=2; max=3`. */
    const val AMZ = "amz-sdk-request"

    /** Envoy and Istio, where the route says `include_request_attempt_count`: `2`. */
    const val ENVOY = "x-envoy-attempt-count"

    /** gRPC's own retries (A6): how many attempts there were before, `1` in the second one. */
    const val GRPC_PREVIOUS = "grpc-previous-rpc-attempts"

    /** gRPC over HTTP/2: digits and a unit, `250m`. */
    const val GRPC_TIMEOUT = "grpc-timeout"

    /** Envoy: how long it waits for the answer, in ms. */
    const val ENVOY_TIMEOUT = "x-envoy-expected-rq-timeout-ms"

    /** Longer than any of these headers is when it was written by a program. */
    private const val MOST_CHARS = 64

    /** Nine digits are always an `Int`. */
    private const val MOST_DIGITS = 9

    fun read(headers: Function<String, String?>): Upstream {
        val amz = bounded(headers, AMZ)
        val attempt = maxOf(
            amz?.let { parameter(it, "attempt") } ?: 1,
            numberIn(bounded(headers, ENVOY)) ?: 1,
            numberIn(bounded(headers, GRPC_PREVIOUS))?.plus(1) ?: 1,
        )
        val limit = minOf(
            bounded(headers, GRPC_TIMEOUT)?.let(::grpcTimeout) ?: UNLIMITED_NANOS,
            numberIn(bounded(headers, ENVOY_TIMEOUT))?.let { inNanos(it, TimeUnit.MILLISECONDS) } ?: UNLIMITED_NANOS,
        )
        val max = amz?.let { parameter(it, "max") }?.takeIf { it >= 1 }
        return Upstream(minOf(attempt, Upstream.MOST_ATTEMPTS), max, limit)
    }

    private fun bounded(headers: Function<String, String?>, name: String): String? =
        headers.apply(name)?.takeIf { it.length <= MOST_CHARS }

    /** The number after `name=` in a list that semicolons separate. */
    private fun parameter(value: String, name: String): Int? = value.splitToSequence(';')
        .map { it.trim() }
        .firstOrNull { it.startsWith(name) && it.startsWith("=", name.length) }
        ?.let { numberIn(it.substring(name.length + 1)) }

    /** [text] as a number if it is all digits; otherwise `null`. */
    private fun numberIn(text: String?): Int? = text?.trim()?.digitsOrNull(MOST_DIGITS)?.toInt()

    /** From hours to nanoseconds, by the last letter. */
    private val UNITS = mapOf('H' to TimeUnit.HOURS, 'M' to TimeUnit.MINUTES, 'S' to TimeUnit.SECONDS) +
        mapOf('m' to TimeUnit.MILLISECONDS, 'u' to TimeUnit.MICROSECONDS, 'n' to TimeUnit.NANOSECONDS)

    private fun grpcTimeout(text: String): Long? {
        val unit = UNITS[text.lastOrNull()] ?: return null
        return numberIn(text.dropLast(1))?.let { inNanos(it, unit) }
    }

    /** Envoy tells a request without a limit by 0. */
    private fun inNanos(number: Int, unit: TimeUnit): Long =
        if (number == 0) UNLIMITED_NANOS else unit.toNanos(number.toLong())
}
