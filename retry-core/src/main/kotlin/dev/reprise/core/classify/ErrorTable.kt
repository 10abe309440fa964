package dev.reprise.core.classify

/**
 * Classifies HTTP responses by rows of error codes and statuses; the first row that matches decides. A response with a
 * status of 400 or more that no row speaks of is rejected; any other is left to the next classifier.
 *
 * Looks at results that are an [HttpOutcome] and at exceptions with an [HttpFailure] among their causes. Immutable;
 * compares by value.
 */
public class ErrorTable(
    /** The rows, first asked first. */
    public val rules: List<ErrorRule>,
) : Classifier {
    /** The table of these [rules]. */
    public constructor(vararg rules: ErrorRule) : this(rules.toList())

    /** This table with [rules] before its own. */
    public fun withFirst(vararg rules: ErrorRule): ErrorTable = ErrorTable(rules.toList() + this.rules)

    override fun classifyFailure(failure: Throwable): Verdict? = httpOf(failure)?.let(::classify)

    override fun classifyResult(result: Any?): Verdict? = if (result is HttpOutcome) classify(result) else null

    /** The verdict on [response], or `null` for no opinion. */
    public fun classify(response: HttpOutcome): Verdict? {
        val status = response.status
        val code = if (status < FIRST_SUCCESS || status > LAST_SUCCESS) response.errorCode else null
        for (rule in rules) rule.verdict(status, code)?.let { return it }
        return if (status >= FIRST_FAILURE) Verdict.Reject else null
    }

    override fun equals(other: Any?): Boolean = other is ErrorTable && rules == other.rules

    override fun hashCode(): Int = rules.hashCode()

    override fun toString(): String = "table$rules"

    public companion object {
        private const val FIRST_SUCCESS = 200
        private const val LAST_SUCCESS = 299
        private const val FIRST_FAILURE = 400

        /** The throttling codes that all SDKs agree on (spec 4). */
        @JvmField
        public val THROTTLING_CODES: Set<String> =
            setOf(
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
            )

        /** The recommended table of the spec's section 4: codes first, then statuses. */
        @JvmField
        public val STANDARD: ErrorTable =
            ErrorTable(
                ErrorRule(FailureKind.THROTTLING, THROTTLING_CODES),
                ErrorRule(
                    FailureKind.TRANSIENT,
                    setOf("RequestTimeout", "RequestTimeoutException", "InternalError", "IDPCommunicationError"),
                ),
                ErrorRule(FailureKind.TRANSIENT, statuses = Statuses.of(500, 502, 503, 504)),
                ErrorRule(FailureKind.THROTTLING, statuses = Statuses.of(429)),
            )
    }
}

/** The response that [failure] or one of its causes carries, or `null`. */
internal fun httpOf(failure: Throwable): HttpOutcome? {
    for (cause in causes(failure)) if (cause is HttpFailure) return cause.http
    return null
}
