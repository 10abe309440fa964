package dev.reprise.redis

/** The times of a client's part in the shared send rate, in ns. */
internal object RateTimes {
    /** The least between two commands: 20 a second. */
    const val SPACING = 50_000_000L

    /** How long before its last slot a client asks for more. */
    const val LEAD = 20_000_000L

    /** How far ahead of its need a busy client asks for slots. */
    const val AHEAD = 50_000_000L

    /** How soon a reply may be there; a caller that waits for one looks again so often. */
    const val REPLY = 1_000_000L

    /** The longest wait that a client is told. */
    const val LONGEST = 60_000_000_000L

    /** The limiter goes off after three minutes without a throttle, as the client's own; in us. */
    const val QUIET_MICROS = 180_000_000L

    /** The least rate that a client can tell, in attempts a second. */
    const val LEAST_MEASURED = 0.5
}
