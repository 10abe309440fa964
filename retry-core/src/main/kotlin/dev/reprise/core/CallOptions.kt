package dev.reprise.core

/**
 * What a face knows about one call beyond its policy. Immutable; compares by value; make it once for each operation.
 */
public class CallOptions
@JvmOverloads
constructor(
    /** The operation's name, for listeners; `null` if it has none. */
    public val operation: String? = null,
    /** Whether the work may be done more than once. */
    public val repeat: Repeat = Repeat.SAFE,
    /** A long poll: a refused quota delays its failure, so that a polling loop does not spin (spec 3.1). */
    public val longPolling: Boolean = false,
) {
    override fun equals(other: Any?): Boolean =
        other is CallOptions && operation == other.operation && repeat == other.repeat &&
            longPolling == other.longPolling

    override fun hashCode(): Int = (operation.hashCode() * 31 + repeat.hashCode()) * 31 + longPolling.hashCode()

    override fun toString(): String =
        "call(${operation ?: "unnamed"}, $repeat${if (longPolling) ", long poll" else ""})"

    public companion object {
        /** An unnamed call that may be repeated. */
        @JvmField
        public val DEFAULT: CallOptions = CallOptions()
    }
}
