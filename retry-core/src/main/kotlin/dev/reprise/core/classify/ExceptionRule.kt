package dev.reprise.core.classify

/**
 * One row of an [ExceptionTable]: an exception whose class or one of its superclasses is called one of [types] is a
 * failure of [kind]; an [Error] only if it is named as one. Classes go by name, so that a rule can be written down and can name classes that are not there.
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

    /** What this row says of exceptions of a class, found once for each class: a client in trouble asks all the time. */
    private val verdicts =
        object : ClassValue<Verdict?>() {
            override fun computeValue(type: Class<*>): Verdict? {
                val named = nameable(type).find { it.name in types } ?: return null
                return if (kind == null) Verdict.Reject else Verdict.Retry(kind, named.simpleName, unsent)
            }
        }

    /** [type] and its superclasses. An [Error] must be named as one: a row for every throwable does not mean it. */
    private fun nameable(type: Class<*>): Sequence<Class<*>> {
        val all = generateSequence(type) { it.superclass }
        return if (Error::class.java.isAssignableFrom(type)) all.takeWhile { it != Throwable::class.java } else all
    }

    /** The verdict, or `null` if this row does not speak of [failure]; its causes are not looked at. */
    public fun verdict(failure: Throwable): Verdict? {
        val verdict = verdicts[failure.javaClass] ?: return null
        return if (message == null || failure.message?.contains(message) == true) verdict else null
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
