package dev.reprise.core

import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

/**
 * One row of an [ErrorTable]: a response whose error code is one of [codes] and whose status is one of [statuses] is a
 * failure of [kind]. An empty set stands for any; [message] narrows it further. Immutable; compares by value.
 */
public class ErrorRule constructor(
    /** The kind of failure, or `null` for a failure that is final. */
    internal val kind: FailureKind?,
    /** The service error codes; empty for any, and for none. */
    internal val codes: Set<String> = Collections.emptySet(),
    /** The HTTP statuses; empty for any. */
    internal val statuses: Statuses = Statuses.NONE,
    /** A text that the error message must contain, or `null` for any message. */
    internal val message: String? = null,
) {
    // Made when they are asked for: most programs see few of the codes that a table knows.
    private val verdicts = ConcurrentHashMap<String, Verdict>()

    /** A row for failures of [kind], or for failures that are final, with these [statuses]. */
    public constructor(kind: FailureKind?, statuses: Statuses) : this(kind, Collections.emptySet(), statuses, null)

    init {
        require(codes.isNotEmpty() || !statuses.isEmpty) { "an error rule must name a code or a status" }
    }

    private fun verdict(why: String) = kind?.let { Verdict.Retry(it, why) } ?: Verdict.Reject

    /** The verdict, or `null` if this row does not speak of the response. */
    internal fun verdict(status: Int, code: String?, errorMessage: String? = null): Verdict? = when {
        message != null && errorMessage?.contains(message) != true -> null
        !statuses.isEmpty && status !in statuses -> null
        codes.isEmpty() -> verdicts.getOrPut("") { verdict("status $statuses") }
        code == null || code !in codes -> null
        else -> verdicts.getOrPut(code) { verdict("code $code") }
    }

    override fun equals(other: Any?): Boolean =
        other is ErrorRule && kind == other.kind && codes == other.codes && statuses == other.statuses &&
            message == other.message

    override fun hashCode(): Int = (kind.hashCode() * 31 + codes.hashCode()) * 31 + statuses.hashCode()

    override fun toString(): String = buildString {
        append(if (kind == null) "rejects " else "retries ")
        if (!statuses.isEmpty) append("status ").append(statuses)
        if (codes.isNotEmpty()) append(if (statuses.isEmpty) "code " else " with code ").append(codes.joinToString())
        if (message != null) append(" and \"").append(message).append("\" in the message")
        if (kind != null && kind != FailureKind.TRANSIENT) append(" as ").append(kind.name.lowercase())
    }
}
