package dev.reprise.core.classify

import dev.reprise.core.time.nanosText

/**
 * One header in which a server says when it wants to be asked again, and how far to follow it. A policy holds a list; the
 * first header that is there and readable counts. Immutable; compares by value.
 */
public class ServerDelayRule
@JvmOverloads
constructor(
    /** The header and its format. */
    public val header: ServerDelayHeader,
    /** How the wish and the backoff make one delay. */
    public val bound: ServerDelayBound,
    /** The statuses on which the header is read; empty for all. */
    public val statuses: Statuses = Statuses.NONE,
) {
    override fun equals(other: Any?): Boolean =
        other is ServerDelayRule && header == other.header && bound == other.bound && statuses == other.statuses

    override fun hashCode(): Int = (header.hashCode() * 31 + bound.hashCode()) * 31 + statuses.hashCode()

    override fun toString(): String = "${header.headerName} $bound" + if (statuses.isEmpty) "" else " on $statuses"
}

/** The first wish of [response] that these rules follow and that can be read, or `null`; [ignored] hears of others. */
internal inline fun List<ServerDelayRule>.wishOf(
    response: HttpOutcome,
    ignored: (ServerDelayHeader) -> Unit,
): ServerDelay? {
    for (rule in this) {
        if (!rule.statuses.isEmpty && response.status !in rule.statuses) continue
        val wish = rule.header.read(response)
        if (wish > ServerDelayHeader.UNREADABLE) return ServerDelay(wish, rule)
        if (wish == ServerDelayHeader.UNREADABLE) ignored(rule.header)
    }
    return null
}

/** How a server's wish and the backoff make one delay; never negative, and only [Add] is ever below the backoff. */
public sealed class ServerDelayBound {
    /**
     * The delay in ns for a [backoffNanos] that is not negative and a [wishNanos] of the server, or a negative number if
     * the policy would rather give up than wait that long.
     */
    public abstract fun delayNanos(backoffNanos: Long, wishNanos: Long): Long

    /** `clamp(wish, backoff, backoff + [overNanos])`: standard mode 2.1 with 5 s. */
    public class Clamp(
        /** How far beyond the backoff the wish is followed, in ns. */
        public val overNanos: Long,
    ) : ServerDelayBound() {
        init {
            require(overNanos >= 0) { "serverDelay.over must not be negative: $overNanos ns" }
        }

        override fun delayNanos(backoffNanos: Long, wishNanos: Long): Long =
            maxOf(backoffNanos, minOf(wishNanos, addSaturating(backoffNanos, overNanos)))

        override fun equals(other: Any?): Boolean = other is Clamp && overNanos == other.overNanos

        override fun hashCode(): Int = overNanos.hashCode()

        override fun toString(): String = "at most ${nanosText(overNanos)} over the backoff"
    }

    /**
     * `max(wish, backoff)`. A wish beyond [capNanos] is not shortened behind the server's back: the call gives up, or, if
     * [giveUpBeyondCap] is off, waits the cap.
     */
    public class AtLeast
    @JvmOverloads
    constructor(
        /** The longest wish that is kept, in ns. */
        public val capNanos: Long,
        /** Whether a longer wish ends the call. */
        public val giveUpBeyondCap: Boolean = true,
    ) : ServerDelayBound() {
        init {
            require(capNanos >= 0) { "serverDelay.cap must not be negative: $capNanos ns" }
        }

        override fun delayNanos(backoffNanos: Long, wishNanos: Long): Long {
            if (wishNanos > capNanos && giveUpBeyondCap) return -1
            return maxOf(backoffNanos, minOf(wishNanos, capNanos))
        }

        override fun equals(other: Any?): Boolean =
            other is AtLeast && capNanos == other.capNanos && giveUpBeyondCap == other.giveUpBeyondCap

        override fun hashCode(): Int = capNanos.hashCode() * 31 + giveUpBeyondCap.hashCode()

        override fun toString(): String =
            "at least, ${if (giveUpBeyondCap) "giving up beyond" else "at most"} ${nanosText(capNanos)}"
    }

    /** `backoff + wish`, at least 0: the HTTP helper of the AWS SDK for JavaScript v2, and the AWS SDK for Go v1. */
    public class Add(
        /** The longest wish that is added, in ns. */
        public val capNanos: Long,
    ) : ServerDelayBound() {
        init {
            require(capNanos >= 0) { "serverDelay.cap must not be negative: $capNanos ns" }
        }

        override fun delayNanos(backoffNanos: Long, wishNanos: Long): Long =
            addSaturating(backoffNanos, minOf(wishNanos, capNanos)).coerceAtLeast(0)

        override fun equals(other: Any?): Boolean = other is Add && capNanos == other.capNanos

        override fun hashCode(): Int = capNanos.hashCode()

        override fun toString(): String = "added to the backoff, at most ${nanosText(capNanos)}"
    }
}

private fun addSaturating(a: Long, b: Long): Long = (a + b).let { if (b > 0 && it < a) Long.MAX_VALUE else it }
