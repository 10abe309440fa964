package dev.reprise.core.classify

import dev.reprise.core.time.nanosText

/**
 * The server's wish to be asked again no sooner than [nanos] from now, and the [rule] that says how far to follow it;
 * `null` leaves that to the policy's first rule.
 */
public class ServerDelay
@JvmOverloads
constructor(
    /** The wish in nanoseconds; negative only from a header whose format has a sign. */
    public val nanos: Long,
    /** How far to follow the wish. */
    public val rule: ServerDelayRule? = null,
) {
    override fun equals(other: Any?): Boolean = other is ServerDelay && nanos == other.nanos && rule == other.rule

    override fun hashCode(): Int = nanos.hashCode() * 31 + rule.hashCode()

    override fun toString(): String = "server asks for ${nanosText(nanos)}"
}
