package dev.reprise.redis

/** A client of a fleet shares its quota or send rate from now on, or works alone. Immutable. */
public class FleetEvent internal constructor(
    /** The name of the fleet's quota or rate. */
    public val name: String,
    /** Whether it is shared from now on; otherwise the client works alone. */
    public val isShared: Boolean,
    /** Why it is not shared; `null` if it is. */
    public val cause: Throwable?,
) {
    override fun toString(): String = if (isShared) "$name is shared" else "$name is local: $cause"
}
