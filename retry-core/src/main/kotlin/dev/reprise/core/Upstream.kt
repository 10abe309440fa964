package dev.reprise.core

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * The request that a server is serving while it makes calls of its own: the number that its caller's attempt has, and how long
 * the caller waits. A call that is made for a retry makes one attempt, without a copy. Immutable; compares by value.
 *
 * Server plugins read it from the request's headers. Where there is no plugin, run the work in `withUpstream(upstream) { }`
 * of retry-coroutines, or after `Serving.open(upstream)` of retry-java.
 */
public class Upstream internal constructor(
    /** The number of the request among its caller's attempts, from 1 to 1,000. */
    public val attempt: Int,
    /** How many attempts the caller makes at most; `null` if it does not say. */
    public val max: Int?,
    /** How long the caller waits, in ns from when the request came. */
    internal val limitNanos: Long,
) {
    init {
        require(attempt in 1..MOST_ATTEMPTS) { "attempt must be from 1 to $MOST_ATTEMPTS: $attempt" }
    }

    /** The attempt of this number, of at most [max]. */
    public constructor(attempt: Int, max: Int?) : this(attempt, max, UNLIMITED_NANOS)

    /** The attempt of this number, of a caller that does not say how many it makes. */
    public constructor(attempt: Int) : this(attempt, max = null)

    /** This upstream, whose caller waits no longer than [limit] from now on. It shortens deadlines that calls have anyway. */
    @JvmSynthetic
    public fun within(limit: Duration): Upstream = within(limit.toNanos())

    /** This upstream, whose caller waits no longer than [limit] from now on. It shortens deadlines that calls have anyway. */
    public fun within(limit: JavaDuration): Upstream = within(limit.toNanosSaturated())

    /** The shorter of the two limits counts. */
    private fun within(nanos: Long) = Upstream(attempt, max, minOf(nanos, limitNanos))

    override fun equals(other: Any?): Boolean =
        other is Upstream && attempt == other.attempt && max == other.max && limitNanos == other.limitNanos

    override fun hashCode(): Int = (attempt * 31 + max.hashCode()) * 31 + limitNanos.hashCode()

    override fun toString(): String = "upstream(attempt $attempt" + (if (max == null) "" else " of $max") +
        (if (limitNanos == UNLIMITED_NANOS) ")" else ", within ${nanosText(limitNanos)})")

    internal companion object {
        /** The highest attempt number; a higher one is read as this one. */
        const val MOST_ATTEMPTS = 1_000
    }
}
