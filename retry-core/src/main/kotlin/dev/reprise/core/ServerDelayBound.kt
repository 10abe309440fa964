package dev.reprise.core

import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.saturatingAdd
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * How what a server asks for and the backoff make one delay; never negative, and only [add] is ever below the backoff.
 * Immutable; compares by value.
 */
public sealed class ServerDelayBound private constructor(
    /** The name in policy documents. */
    internal val word: String,
    limitName: String,
    /** The limit in ns. */
    internal val limitNanos: Long,
) {
    init {
        require(limitNanos >= 0) { "serverDelay.$limitName must not be negative: ${nanosText(limitNanos)}" }
    }

    /**
     * The delay in ns, from a [backoffNanos] that is not negative and the server's delay of [askedNanos]. Negative if
     * the policy gives up instead of waiting that long.
     */
    internal abstract fun delayNanos(backoffNanos: Long, askedNanos: Long): Long

    internal data class Clamp(val over: Long) : ServerDelayBound("clamp", "over", over) {
        override fun delayNanos(backoffNanos: Long, askedNanos: Long): Long =
            maxOf(backoffNanos, minOf(askedNanos, saturatingAdd(backoffNanos, over)))

        override fun toString(): String = "at most ${nanosText(over)} over the backoff"
    }

    /** [atLeast] with a bound of [cap] ns; above it, [giveUpBeyondCap] ends the call. */
    internal data class AtLeast(val cap: Long, val giveUpBeyondCap: Boolean = true) :
        ServerDelayBound("atLeast", "cap", cap) {
        override fun delayNanos(backoffNanos: Long, askedNanos: Long): Long {
            if (askedNanos > cap && giveUpBeyondCap) return -1
            return maxOf(backoffNanos, minOf(askedNanos, cap))
        }

        override fun toString(): String =
            "at least, ${if (giveUpBeyondCap) "giving up beyond" else "at most"} ${nanosText(cap)}"
    }

    internal data class Add(val cap: Long) : ServerDelayBound("add", "cap", cap) {
        override fun delayNanos(backoffNanos: Long, askedNanos: Long): Long =
            saturatingAdd(backoffNanos, minOf(askedNanos, cap)).coerceAtLeast(0)

        override fun toString(): String = "added to the backoff, at most ${nanosText(cap)}"
    }

    public companion object {
        /** `clamp(asked, backoff, backoff + [over])`: standard mode 2.1 with 5 s. */
        @JvmSynthetic
        public fun clamp(over: Duration): ServerDelayBound = Clamp(over.toNanos())

        /** `clamp(asked, backoff, backoff + [over])`: standard mode 2.1 with 5 s. */
        @JvmStatic
        public fun clamp(over: JavaDuration): ServerDelayBound = Clamp(over.toNanosSaturated())

        /** `max(asked, backoff)`. A server that asks for more than [cap] is not asked earlier: the call gives up. */
        @JvmSynthetic
        public fun atLeast(cap: Duration): ServerDelayBound = AtLeast(cap.toNanos())

        /** `max(asked, backoff)`. A server that asks for more than [cap] is not asked earlier: the call gives up. */
        @JvmStatic
        public fun atLeast(cap: JavaDuration): ServerDelayBound = AtLeast(cap.toNanosSaturated())

        /** `max(min(asked, cap), backoff)`: a server that asks for more than [cap] is asked again after that long. */
        @JvmSynthetic
        public fun atMost(cap: Duration): ServerDelayBound = AtLeast(cap.toNanos(), giveUpBeyondCap = false)

        /** `max(min(asked, cap), backoff)`: a server that asks for more than [cap] is asked again after that long. */
        @JvmStatic
        public fun atMost(cap: JavaDuration): ServerDelayBound =
            AtLeast(cap.toNanosSaturated(), giveUpBeyondCap = false)

        /**
         * `backoff + min(asked, cap)`, at least 0: the HTTP helper of the AWS SDK for JavaScript v2, and the AWS SDK for Go
         * v1.
         */
        @JvmSynthetic
        public fun add(cap: Duration): ServerDelayBound = Add(cap.toNanos())

        /**
         * `backoff + min(asked, cap)`, at least 0: the HTTP helper of the AWS SDK for JavaScript v2, and the AWS SDK for Go
         * v1.
         */
        @JvmStatic
        public fun add(cap: JavaDuration): ServerDelayBound = Add(cap.toNanosSaturated())
    }
}
