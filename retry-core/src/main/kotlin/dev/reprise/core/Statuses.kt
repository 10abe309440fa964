package dev.reprise.core

/** A set of HTTP status codes, kept as ranges. Immutable; compares by value. */
public class Statuses private constructor(
    /** In the order given. */
    private vararg val spans: Span,
) {
    /** The ranges, in the order given. */
    internal val ranges: List<IntRange> get() = spans.map { it.first..it.last }

    /** Whether [status] is one of these. */
    public operator fun contains(status: Int): Boolean = spans.any { status in it.first..it.last }

    /** Whether one of these is at most [status]. */
    internal fun beginBy(status: Int): Boolean = spans.any { it.first <= status }

    /** Whether this is the empty set. */
    internal val isEmpty: Boolean get() = spans.isEmpty()

    override fun equals(other: Any?): Boolean = other is Statuses && spans.contentEquals(other.spans)

    override fun hashCode(): Int = spans.contentHashCode()

    override fun toString(): String = java.lang.String.join(",", spans.map { "$it" })

    private data class Span(val first: Int, val last: Int) {
        init {
            require(first >= MIN && last <= MAX && first <= last) { "statuses must be from $MIN to $MAX: $first-$last" }
        }

        override fun toString(): String = if (first == last) "$first" else "$first-$last"
    }

    public companion object {
        /** No status at all. */
        @JvmField
        public val NONE: Statuses = Statuses()

        /** These statuses. */
        @JvmStatic
        public fun of(vararg statuses: Int): Statuses =
            Statuses(*Array(statuses.size) { Span(statuses[it], statuses[it]) })

        /** All statuses from [first] to [last], both included. */
        @JvmStatic
        public fun between(first: Int, last: Int): Statuses = Statuses(Span(first, last))

        /** The statuses of all [ranges]; each must be within 100 to 999 and not run backwards. */
        internal fun ofRanges(ranges: List<IntRange>): Statuses =
            Statuses(*Array(ranges.size) { Span(ranges[it].first, ranges[it].last) })

        private const val MIN = 100
        private const val MAX = 999
    }
}
