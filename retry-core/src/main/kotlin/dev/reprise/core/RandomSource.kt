package dev.reprise.core

/**
 * The source of randomness: uniform draws in [0, 1).
 *
 * Shells draw from a source of the process; tests and simulations inject their own. A scripted source may also give
 * exactly 1.0, which stands for the full ceiling.
 */
public fun interface RandomSource {
    /** The next draw. */
    public fun next(): Double
}

/** An integer draw in [0, [bound]): `min(floor(u * bound), bound - 1)`, and 0 where [bound] is not positive. */
internal fun RandomSource.nextLong(bound: Long): Long {
    if (bound <= 0) return 0
    return (next() * bound).toLong().coerceIn(0, bound - 1)
}
