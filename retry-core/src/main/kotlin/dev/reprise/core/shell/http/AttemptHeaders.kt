package dev.reprise.core.shell.http

import dev.reprise.core.Attempt
import dev.reprise.core.shell.ShellApi
import java.util.UUID

/**
 * The headers of a call's requests by which servers and sidecars know a retry. From the second attempt on, and while a retry
 * is served, that is `amz-sdk-request: attempt=2`. Immutable.
 */
@ShellApi
public class AttemptHeaders private constructor(
    private val forbidsMesh: Boolean,
    private val numbersRetries: Boolean,
    private val invocation: String? = null,
    private val maxAttempts: Int = Int.MAX_VALUE,
) {
    /** The headers of the request of [attempt], by name; mostly none. */
    public fun of(attempt: Attempt): Map<String, String> {
        val number = attempt.sentNumber
        val isNumbered = invocation != null || (numbersRetries && number > 1)
        if (!isNumbered && !forbidsMesh) return emptyMap()
        return buildMap {
            if (invocation != null) put(INVOCATION_ID, invocation)
            val max = if (attempt.isLast && invocation != null) number else maxAttempts
            val most = if (max == Int.MAX_VALUE) "" else "; max=${maxOf(number, max)}"
            if (isNumbered) put(REQUEST, "attempt=$number$most")
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
        private val plain = AttemptHeaders(!meshRetries, numbersRetries)
        private val unnumbered = AttemptHeaders(!meshRetries, numbersRetries = false)

        /**
         * The headers of a new call of at most [maxAttempts] attempts; its last attempt says that it is the last. Its request
         * [brings][isNumbered] a number of its own, or not.
         */
        public fun ofCall(maxAttempts: Int, isNumbered: Boolean): AttemptHeaders = when {
            amzHeaders -> AttemptHeaders(plain.forbidsMesh, true, UUID.randomUUID().toString(), maxAttempts)
            isNumbered -> unnumbered
            else -> plain
        }
    }

    public companion object {
        /** The name of the header that names the call. */
        private const val INVOCATION_ID = "amz-sdk-invocation-id"

        /** The name of the header that numbers the attempt. */
        public const val REQUEST: String = "amz-sdk-request"

        /** Envoy: how often it may repeat a request; it stands above the route's own policy. */
        private const val MESH_RETRIES = "x-envoy-max-retries"
    }
}
