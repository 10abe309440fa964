package dev.reprise.core.classify

/**
 * What kind of failure a retryable outcome is. The kind chooses the backoff's base and what the retry costs.
 *
 * [TIMEOUT] is a transient failure too; it has a name of its own because standard mode 2.0 charges more for it.
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
    public val word: String get() = if (this == THROTTLING) "throttling" else "transient"
}
