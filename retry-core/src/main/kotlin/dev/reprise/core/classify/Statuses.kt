package dev.reprise.core.classify

/** A set of HTTP status codes, kept as ranges. Immutable; compares by value. */
public class Statuses private constructor(
    /** The ranges, in the order given. */
    @get:JvmSynthetic public val ranges: List<IntRange>,
) {
    /** Whether [status] is one of these. */
    public operator fun contains(status: Int): Boolean = ranges.any { status in it }

    /** Whether this is the empty set. */
    public val isEmpty: Boolean get() = ranges.isEmpty()

    override fun equals(other: Any?): Boolean = other is Statuses && ranges == other.ranges

    override fun hashCode(): Int = ranges.hashCode()

    override fun toString(): String =
        ranges.joinToString(",") { if (it.first == it.last) "${it.first}" else "${it.first}-${it.last}" }

    public companion object {
        /** No status at all. */
        @JvmField
        public val NONE: Statuses = Statuses(emptyList())

        /** These statuses. */
        @JvmStatic
        public fun of(vararg statuses: Int): Statuses = ofRanges(statuses.map { it..it })

        /** All statuses from [first] to [last], both included. */
        @JvmStatic
        public fun between(first: Int, last: Int): Statuses = ofRanges(listOf(first..last))

        /** The statuses of all [ranges]; each must be within 100 to 999 and not run backwards. */
        @JvmStatic
        @JvmSynthetic
        public fun ofRanges(ranges: List<IntRange>): Statuses {
            for (range in ranges) {
                require(range.first >= MIN && range.last <= MAX && range.first <= range.last) {
                    "statuses must be from $MIN to $MAX: ${range.first}-${range.last}"
                }
            }
            return Statuses(ranges.toList())
        }

        private const val MIN = 100
        private const val MAX = 999
    }
}
