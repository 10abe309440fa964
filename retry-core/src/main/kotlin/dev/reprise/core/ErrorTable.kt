package dev.reprise.core

import java.util.Arrays

/**
 * Classifies HTTP responses by rows of error codes and statuses; the first row that matches decides. A response with a
 * status of 400 or more that no row speaks of is rejected; any other is left to the next classifier.
 *
 * Looks at results that are an [HttpOutcome] and at exceptions with an [HttpFailure] among their causes. Immutable;
 * compares by value.
 */
public class ErrorTable internal constructor(
    rules: List<ErrorRule>,
    /** Whether a code such as `400 Throttling`, with the response's own status in front, is read without that status and without white space. */
    internal val dropsStatus: Boolean,
) : Classifier {
    /** The rows, first asked first. */
    internal val rules: List<ErrorRule> = java.util.List.copyOf(rules)

    /** An error code in a good result is looked at only if a row names a good status: S3 has such responses. */
    private val readsGoodCodes = rules.any { it.statuses.beginBy(LAST_SUCCESS) }

    /** The table of these [rules], which reads codes as they are. */
    public constructor(rules: List<ErrorRule>) : this(rules, dropsStatus = false)

    /** The table of these [rules], which reads codes as they are. */
    public constructor(vararg rules: ErrorRule) : this(Arrays.asList(*rules))

    /** This table with [rules] before its own. */
    public fun withFirst(vararg rules: ErrorRule): ErrorTable = ErrorTable(rules.toList() + this.rules, dropsStatus)

    override fun classifyFailure(failure: Throwable): Verdict? = httpOf(failure)?.let(::classifyFailed)

    override fun classifyResult(result: Any?): Verdict? = (result as? HttpOutcome)?.let { classify(it, readsGoodCodes) }

    override val resultScope: ResultScope get() = ResultScope.HTTP

    override val bodyNeed: BodyNeed
        get() = if (rules.any { it.message != null }) BodyNeed.FAILURES else BodyNeed.NONE

    /** The verdict on the [response] that a failure stands for: its code counts although its status is good. */
    internal fun classifyFailed(response: HttpOutcome): Verdict? = classify(response, readsGoodCodes = true)

    private fun classify(response: HttpOutcome, readsGoodCodes: Boolean): Verdict? {
        val status = response.status
        val isGood = status in FIRST_SUCCESS..LAST_SUCCESS
        val code = if (isGood && !readsGoodCodes) null else response.errorCode?.let { plainCode(it, status) }
        for (rule in rules) rule.verdict(status, code, rule.message?.let { response.errorMessage })?.let { return it }
        return if (status >= FIRST_FAILURE) Verdict.Reject else null
    }

    /** As the AWS SDK for Java v1: whatever follows the status, without what is white space to its regular expressions. */
    private fun plainCode(code: String, status: Int): String = if (dropsStatus && code.startsWith("$status")) {
        code.removePrefix("$status").filterNot { it in " \t\n\u000B\u000C\r" }
    } else {
        code
    }

    override fun equals(other: Any?): Boolean =
        other is ErrorTable && rules == other.rules && dropsStatus == other.dropsStatus

    override fun hashCode(): Int = rules.hashCode()

    override fun toString(): String =
        words().ifEmpty { listOf("empty table") }.joinToString("; ") + if (dropsStatus) " (codes with statuses)" else ""

    private fun words(): List<Any> {
        val standard = STANDARD.rules
        return when {
            rules.take(standard.size) == standard -> listOf("standard table") + rules.drop(standard.size)
            rules.takeLast(standard.size) == standard -> rules.dropLast(standard.size) + "standard table"
            else -> rules
        }
    }

    public companion object {
        private const val FIRST_SUCCESS = 200
        private const val LAST_SUCCESS = 299
        private const val FIRST_FAILURE = 400

        /** The throttling codes that all SDKs agree on. */
        @JvmField
        public val THROTTLING_CODES: Set<String> = LinkedHashSet(
            Arrays.asList(
                "Throttling",
                "ThrottlingException",
                "ThrottledException",
                "RequestThrottledException",
                "TooManyRequestsException",
                "ProvisionedThroughputExceededException",
                "TransactionInProgressException",
                "RequestLimitExceeded",
                "BandwidthLimitExceeded",
                "LimitExceededException",
                "RequestThrottled",
                "SlowDown",
                "PriorRequestNotComplete",
                "EC2ThrottledException",
            ),
        )

        private val TRANSIENT_CODES: Set<String> = LinkedHashSet(
            Arrays.asList("RequestTimeout", "RequestTimeoutException", "InternalError", "IDPCommunicationError"),
        )

        /** The table that the AWS SDKs recommend: codes first, then statuses. */
        @JvmField
        public val STANDARD: ErrorTable =
            ErrorTable(
                ErrorRule(FailureKind.THROTTLING, THROTTLING_CODES),
                ErrorRule(FailureKind.TRANSIENT, TRANSIENT_CODES),
                ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 502, 503, 504)),
                ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            )

        /**
         * [STANDARD] for any HTTP server: with the two statuses that ask for the request again (RFC 9110, RFC 8470), those of
         * Cloudflare for an origin that it cannot reach or that breaks off (520 to 524, 530), and 529 for a service that is
         * overloaded (Anthropic, Qualys).
         */
        @JvmField
        public val HTTP: ErrorTable = ErrorTable(
            *STANDARD.rules.toTypedArray(),
            ErrorRule(FailureKind.TRANSIENT, Statuses.of(408, 425, 520, 521, 522, 523, 524, 530)),
            ErrorRule(FailureKind.THROTTLING, Statuses.of(529)),
        )
    }
}
