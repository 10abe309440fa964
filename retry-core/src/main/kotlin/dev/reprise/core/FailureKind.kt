package dev.reprise.core

/**
 * The kind of a retryable failure. It chooses the backoff's base and the cost of the retry.
 *
 * [TIMEOUT] is a transient failure too; it is a kind of its own because standard mode 2.0 charges more for it.
 */
public enum class FailureKind {
    /** The same request may well succeed a moment later: a 5xx, a reset connection, a failed look-up. */
    TRANSIENT,

    /** A transient failure that is a timeout: of the connection, of the read, or of one attempt. */
    TIMEOUT,

    /** The server says that there are too many requests. */
    THROTTLING,
    ;

    /** The field's word for this kind: `throttling`, or `transient` for the other two. */
    internal val word: String get() = if (this == THROTTLING) "throttling" else "transient"
}

/** The constant's name as traces, metrics and policy documents have it: in lower case and with hyphens. */
internal val Enum<*>.word: String get() = name.lowercase().replace('_', '-')
