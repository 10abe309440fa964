package dev.reprise.presets.sdk

import dev.reprise.core.FailureKind
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import java.io.IOException
import java.io.UncheckedIOException
import java.net.ConnectException
import java.net.SocketException
import java.net.SocketTimeoutException
import java.net.UnknownHostException

/** An outcome that tells policies apart. */
internal class Probe(val name: String, private val outcome: Any) {
    /** `t` if [policy] takes the outcome for transient, `T` for throttling, nothing if it does not retry it. */
    fun mark(policy: RetryPolicy): String {
        if (policy.maxAttempts == 1) return ""
        val verdict =
            if (outcome is Throwable) {
                policy.classifier.classifyFailure(outcome)
            } else {
                policy.classifier.classifyResult(outcome)
            }
        if (verdict !is Verdict.Retry) return ""
        return if (verdict.kind == FailureKind.THROTTLING) "T" else "t"
    }

    private class Response(override val status: Int, override val errorCode: String?) : HttpOutcome() {
        override fun header(name: String): String? = null
    }

    companion object {
        private val STATUSES = listOf(408, 429, 500, 501, 502, 503, 504, 509)

        private val CODES = listOf(
            "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
            "TooManyRequestsException", "ProvisionedThroughputExceededException", "RequestLimitExceeded",
            "LimitExceededException", "BandwidthLimitExceeded", "EC2ThrottledException", "SlowDown",
            "PriorRequestNotComplete", "TransactionInProgressException", "RequestTimeout", "RequestTimeoutException",
            "InternalError", "IDPCommunicationError", "RequestTimeTooSkewed", "SignatureDoesNotMatch", "ExpiredToken",
            "ExpiredTokenException",
        )

        private val FAILURES = listOf(
            Probe("connection refused", ConnectException("Connection refused")),
            Probe("unknown host", UnknownHostException("nowhere")),
            Probe("timeout", SocketTimeoutException("Read timed out")),
            Probe("connection reset", SocketException("Connection reset")),
            Probe("broken pipe", SocketException("Broken pipe")),
            Probe("`UncheckedIOException`", UncheckedIOException(IOException())),
            Probe("a cause's cause", RuntimeException(RuntimeException(IOException()))),
        )

        /** Statuses without a code, codes with 400, failures of the connection. */
        val ALL: List<Probe> =
            STATUSES.map { Probe("$it", Response(it, null)) } +
                CODES.map { Probe("400 `$it`", Response(BAD_REQUEST, it)) } +
                FAILURES

        private const val BAD_REQUEST = 400
    }
}
