package dev.reprise.core.classify

/**
 * One row of an [ErrorTable]: a response whose error code is one of [codes] and whose status is one of [statuses] is a
 * failure of [kind]. An empty set stands for any; [message] narrows it further. Immutable; compares by value.
 */
public class ErrorRule
@JvmOverloads
constructor(
    /** The kind of failure, or `null` for a failure that is final. */
    public val kind: FailureKind?,
    /** The service error codes; empty for any, and for none. */
    public val codes: Set<String> = emptySet(),
    /** The HTTP statuses; empty for any. */
    public val statuses: Statuses = Statuses.NONE,
    /** What the error message must contain, or `null` for any message. */
    public val message: String? = null,
) {
    private val verdicts: Map<String, Verdict> = codes.associateWith { verdict("code $it") }
    private val byStatus: Verdict = verdict("status $statuses")

    init {
        require(codes.isNotEmpty() || !statuses.isEmpty) { "an error rule must name a code or a status" }
    }

    private fun verdict(why: String) = kind?.let { Verdict.Retry(it, why) } ?: Verdict.Reject

    /** The verdict, or `null` if this row does not speak of the response. */
    @JvmOverloads
    public fun verdict(status: Int, code: String?, errorMessage: String? = null): Verdict? = when {
        message != null && errorMessage?.contains(message) != true -> null
        !statuses.isEmpty && status !in statuses -> null
        codes.isEmpty() -> byStatus
        else -> code?.let { verdicts[it] }
    }

    override fun equals(other: Any?): Boolean =
        other is ErrorRule && kind == other.kind && codes == other.codes && statuses == other.statuses &&
            message == other.message

    override fun hashCode(): Int = (kind.hashCode() * 31 + codes.hashCode()) * 31 + statuses.hashCode()

    override fun toString(): String = "${kind?.name?.lowercase() ?: "reject"}: codes $codes, statuses [$statuses]" +
        if (message == null) "" else ", message \"$message\""
}
