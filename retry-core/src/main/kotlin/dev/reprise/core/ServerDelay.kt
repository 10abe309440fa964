package dev.reprise.core

import dev.reprise.core.shell.time.durationOf
import dev.reprise.core.shell.time.nanosText
import dev.reprise.core.shell.time.toNanos
import dev.reprise.core.shell.time.toNanosSaturated
import kotlin.time.Duration
import java.time.Duration as JavaDuration

/**
 * When a server wants to be asked again, and the [rule] that says how far to follow that; `null` leaves it to the policy's
 * first rule. Immutable; compares by value.
 */
public class ServerDelay private constructor(
    /** The delay that the server asks for, in ns. */
    internal val nanos: Long,
    /** How far to follow it. */
    public val rule: ServerDelayRule?,
    /**
     * Whether the wait is exactly this long, without regard to the backoff; the backoff then starts again from its
     * base.
     */
    internal val isExact: Boolean,
) {
    /** A server asks for [nanos], which is followed as far as [rule] says. */
    internal constructor(nanos: Long, rule: ServerDelayRule?) : this(nanos, rule, isExact = false)

    /** The delay that the server asks for; negative only from a header whose format has a sign. */
    @get:JvmSynthetic
    public val delay: Duration get() = durationOf(nanos)

    /** The delay that the server asks for; negative only from a header whose format has a sign. For Java. */
    public fun getDelay(): JavaDuration = JavaDuration.ofNanos(nanos)

    override fun equals(other: Any?): Boolean =
        other is ServerDelay && nanos == other.nanos && rule == other.rule && isExact == other.isExact

    override fun hashCode(): Int = nanos.hashCode() * 31 + rule.hashCode()

    override fun toString(): String = "server asks for ${if (isExact) "exactly " else ""}${nanosText(nanos)}"

    public companion object {
        /** A server sets the wait to [nanos] and the backoff back to its base; negative to stop. As gRPC's pushback does. */
        internal fun exactly(nanos: Long): ServerDelay = ServerDelay(nanos, rule = null, isExact = true)

        /** A server asks to be left alone for [delay]; how far to follow it is for the policy to say. */
        @JvmSynthetic
        public fun of(delay: Duration): ServerDelay = ServerDelay(delay.toNanos(), null)

        /** A server asks to be left alone for [delay]; how far to follow it is for the policy to say. */
        @JvmStatic
        public fun of(delay: JavaDuration): ServerDelay = ServerDelay(delay.toNanosSaturated(), null)
    }
}
