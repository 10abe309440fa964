package dev.reprise.core

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap

/**
 * One row of an [ErrorTable]: a response whose error code is one of [codes] and whose status is one of [statuses] is a
 * failure of [kind]. An empty set stands for any; [message] narrows it further. Immutable; compares by value.
 */
public class ErrorRule @ShellApi constructor(
    /** The kind of failure, or `null` for a failure that is final. */
    public val kind: FailureKind?,
    /** The service error codes; empty for any, and for none. */
    public val codes: Set<String> = namesOf(),
    /** The HTTP statuses; empty for any. */
    public val statuses: Statuses = Statuses.NONE,
    /** A text that the error message must contain, or `null` for any message. */
    public val message: String? = null,
) {
    // Made when they are asked for: most programs see few of the codes that a table knows.
    private val verdicts = ConcurrentHashMap<String, Verdict>()

    init {
        require(codes.isNotEmpty() || !statuses.isEmpty) { "an error rule must name a code or a status" }
    }

    private fun verdict(why: String) = kind?.let { Verdict.Retry(it, why) } ?: Verdict.Reject

    /** The verdict, or `null` if this row does not speak of the response. */
    @JvmOverloads
    public fun verdict(status: Int, code: String?, errorMessage: String? = null): Verdict? = when {
        message != null && errorMessage?.contains(message) != true -> null
        !statuses.isEmpty && status !in statuses -> null
        codes.isEmpty() -> verdicts.getOrPut("") { verdict("status $statuses") }
        code == null || code !in codes -> null
        else -> verdicts.getOrPut(code) { verdict("code $code") }
    }

    /** A builder that starts from this row. */
    public fun toBuilder(): Builder = Builder(kind).codes(codes).statuses(statuses).message(message)

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

    /** Builds an [ErrorRule]. Not thread-safe. */
    public class Builder internal constructor(private val kind: FailureKind?) {
        /** The service error codes; empty for any, and for none. */
        @set:JvmSynthetic
        public var codes: Set<String> = emptySet()

        /** The HTTP statuses; empty for any. */
        @set:JvmSynthetic
        public var statuses: Statuses = Statuses.NONE

        /** A text that the error message must contain, or `null` for any message. */
        @set:JvmSynthetic
        public var message: String? = null

        /** Sets the service error codes. */
        public fun codes(codes: Set<String>): Builder = apply { this.codes = codes.toSet() }

        /** Sets the service error codes. */
        public fun codes(vararg codes: String): Builder = codes(codes.toSet())

        /** Sets the HTTP statuses. */
        public fun statuses(statuses: Statuses): Builder = apply { this.statuses = statuses }

        /** Sets the HTTP statuses. */
        public fun statuses(vararg statuses: Int): Builder = statuses(Statuses.of(*statuses))

        /** Sets what the error message must contain; `null` for any message. */
        public fun message(message: String?): Builder = apply { this.message = message }

        /**
         * Returns the row.
         *
         * @throws IllegalArgumentException if it names neither a code nor a status
         */
        public fun build(): ErrorRule = ErrorRule(kind, codes.toSet(), statuses, message)
    }

    public companion object {
        /** A builder of a row for failures of [kind]; `null` for failures that are final. */
        @JvmStatic
        public fun builder(kind: FailureKind?): Builder = Builder(kind)

        /** A row for failures of [kind], or for failures that are final; as `ErrorRule(kind) { statuses(429) }`. */
        @JvmSynthetic
        public operator fun invoke(kind: FailureKind?, settings: Builder.() -> Unit): ErrorRule =
            Builder(kind).apply(settings).build()
    }
}
