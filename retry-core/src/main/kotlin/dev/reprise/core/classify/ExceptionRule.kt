package dev.reprise.core.classify

/**
 * One row of an [ExceptionTable]: an exception whose class or one of its superclasses is called one of [types] is a
 * failure of [kind]. Classes go by name, so that a rule can be written down and can name classes that are not there.
 * Immutable; compares by value.
 */
public class ExceptionRule
@JvmOverloads
constructor(
    /** The kind of failure, or `null` for a failure that is final. */
    public val kind: FailureKind?,
    /** Names of classes, such as `java.io.IOException`; at least one. */
    public val types: Set<String>,
    /** What the exception's message must contain, or `null` for any message. */
    public val message: String? = null,
    /** Whether the failure proves that nothing reached the server. */
    public val unsent: Boolean = false,
) {
    init {
        require(types.isNotEmpty()) { "an exception rule must name a class" }
    }

    /** The verdict, or `null` if this row does not speak of [failure]; its causes are not looked at. */
    public fun verdict(failure: Throwable): Verdict? {
        val type =
            generateSequence<Class<*>>(failure.javaClass) { it.superclass }.find { it.name in types } ?: return null
        if (message != null && failure.message?.contains(message) != true) return null
        return if (kind == null) Verdict.Reject else Verdict.Retry(kind, type.simpleName, unsent)
    }

    override fun equals(other: Any?): Boolean =
        other is ExceptionRule && kind == other.kind && types == other.types && message == other.message &&
            unsent == other.unsent

    override fun hashCode(): Int = kind.hashCode() * 31 + types.hashCode()

    override fun toString(): String = buildString {
        append(kind?.name?.lowercase() ?: "reject").append(": ").append(types)
        if (message != null) append(", message \"").append(message).append('"')
        if (unsent) append(", unsent")
    }
}
