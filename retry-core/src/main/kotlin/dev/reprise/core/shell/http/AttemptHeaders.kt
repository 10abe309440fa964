package dev.reprise.core.shell.http

import dev.reprise.core.Attempt
import dev.reprise.core.shell.ShellApi

/**
 * The headers of a call's requests by which servers and sidecars know a retry. From the second attempt on, and while a retry
 * is served, that is `amz-sdk-request: attempt=2`. Immutable.
 */
@ShellApi
public class AttemptHeaders private constructor(
    private val amz: AmzHeaders?,
    private val numbersRetries: Boolean,
    private val forbidsMesh: Boolean,
) {
    /** The headers of the request of [attempt], by name; mostly none. */
    public fun of(attempt: Attempt): Map<String, String> {
        val number = attempt.sentNumber
        val isNumbered = numbersRetries && number > 1
        if (amz == null && !isNumbered && !forbidsMesh) return emptyMap()
        return buildMap {
            if (amz != null) {
                put(AmzHeaders.INVOCATION_ID, amz.invocation)
                put(AmzHeaders.REQUEST, amz.request(number))
            } else if (isNumbered) {
                put(AmzHeaders.REQUEST, "attempt=$number")
            }
            if (forbidsMesh) put(MESH_RETRIES, "0")
        }
    }

    /** The headers that a face is set to send. Immutable. */
    @ShellApi
    public class Settings(
        /** Whether every attempt carries the headers of the AWS SDKs. */
        private val amzHeaders: Boolean,
        /** Whether retries carry their number. */
        numbersRetries: Boolean,
        /** Whether a sidecar may repeat what is sent. */
        meshRetries: Boolean,
    ) {
        private val plain = AttemptHeaders(null, numbersRetries, !meshRetries)
        private val unnumbered = AttemptHeaders(null, numbersRetries = false, !meshRetries)

        /** The headers of a new call of at most [maxAttempts] attempts, whose request [brings][isNumbered] a number of its own. */
        public fun ofCall(maxAttempts: Int, isNumbered: Boolean): AttemptHeaders = when {
            amzHeaders -> AttemptHeaders(AmzHeaders.ofCall(maxAttempts), true, plain.forbidsMesh)
            isNumbered -> unnumbered
            else -> plain
        }
    }

    private companion object {
        /** Envoy: how often it may repeat a request; it stands above the route's own policy. */
        const val MESH_RETRIES = "x-envoy-max-retries"
    }
}
