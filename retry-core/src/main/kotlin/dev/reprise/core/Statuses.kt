package dev.reprise.core

/** A set of HTTP status codes, kept as ranges. Immutable; compares by value. */
public class Statuses private constructor(
    /** The first and the last of each range, in the order given. */
    private val bounds: IntArray,
) {
    /** The ranges, in the order given. */
    internal val ranges: List<IntRange> get() = List(bounds.size / 2) { bounds[2 * it]..bounds[2 * it + 1] }

    /** Whether [status] is one of these. */
    public operator fun contains(status: Int): Boolean {
        for (at in 0..<bounds.size / 2) if (status in bounds[2 * at]..bounds[2 * at + 1]) return true
        return false
    }

    /** The least of these; one that no status is, if there are none. */
    internal val least: Int
        get() {
            var least = Int.MAX_VALUE
            for (bound in bounds) if (bound < least) least = bound
            return least
        }

    /** Whether this is the empty set. */
    public val isEmpty: Boolean get() = bounds.isEmpty()

    override fun equals(other: Any?): Boolean = other is Statuses && bounds.contentEquals(other.bounds)

    override fun hashCode(): Int = bounds.contentHashCode()

    override fun toString(): String = buildString {
        for (at in 0..<bounds.size / 2) {
            val first = bounds[2 * at]
            val last = bounds[2 * at + 1]
            if (at > 0) append(',')
            append(first)
            if (last != first) append('-').append(last)
        }
    }

    public companion object {
        /** No status at all. */
        @JvmField
        public val NONE: Statuses = Statuses(IntArray(0))

        /** These statuses. */
        @JvmStatic
        public fun of(vararg statuses: Int): Statuses = checked(IntArray(2 * statuses.size) { statuses[it / 2] })

        /** All statuses from [first] to [last], both included. */
        @JvmStatic
        public fun between(first: Int, last: Int): Statuses = checked(intArrayOf(first, last))

        /** The statuses of all [ranges]; each must be within 100 to 999 and not run backwards. */
        internal fun ofRanges(ranges: List<IntRange>): Statuses =
            checked(IntArray(2 * ranges.size) { ranges[it / 2].run { if (it % 2 == 0) first else last } })

        private fun checked(bounds: IntArray): Statuses {
            for (at in 0..<bounds.size / 2) {
                val first = bounds[2 * at]
                val last = bounds[2 * at + 1]
                require(first >= MIN && last <= MAX && first <= last) {
                    "statuses must be from $MIN to $MAX: $first-$last"
                }
            }
            return Statuses(bounds)
        }

        private const val MIN = 100
        private const val MAX = 999
    }
}
