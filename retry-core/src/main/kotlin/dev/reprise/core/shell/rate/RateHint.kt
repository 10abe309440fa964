package dev.reprise.core.shell.rate

/**
 * A server's statement about its rate limit: [remaining] requests for the next [seconds]. An immutable value.
 *
 * @throws IllegalArgumentException from [of] when a number is negative.
 */
public class RateHint private constructor(
    /** How many more requests the server will accept, not negative. */
    public val remaining: Long,
    /** Until its window ends, in seconds, not negative. */
    public val seconds: Long,
) {
    /**
     * The rate that spends [remaining] evenly until the window ends, in requests a second; infinite when that is now.
     */
    public val perSecond: Double get() = if (seconds == 0L) Double.POSITIVE_INFINITY else remaining.toDouble() / seconds

    override fun equals(other: Any?): Boolean =
        other is RateHint && remaining == other.remaining && seconds == other.seconds

    override fun hashCode(): Int = remaining.hashCode() * 31 + seconds.hashCode()

    override fun toString(): String = "RateHint(remaining=$remaining, seconds=$seconds)"

    public companion object {
        /** A longer window counts as a day: limits for a longer time do not steer the rate. */
        private const val LONGEST = 86_400L

        /** A hint of [remaining] requests for the next [seconds]; more than a day counts as a day. */
        @JvmStatic
        public fun of(remaining: Long, seconds: Long): RateHint {
            require(remaining >= 0) { "remaining must not be negative: $remaining" }
            require(seconds >= 0) { "seconds must not be negative: $seconds" }
            return RateHint(remaining, minOf(seconds, LONGEST))
        }
    }
}
