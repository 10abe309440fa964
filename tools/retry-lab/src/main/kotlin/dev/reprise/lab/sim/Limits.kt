package dev.reprise.lab.sim

/** How much one simulation may ask for, so that a slip of the keyboard is an error and not a run without end. */
internal object Limits {
    const val CLIENTS = 1_000_000
    const val CALLS = 100_000_000L

    /** A day. */
    const val SECONDS = 86_400.0

    /** A server takes time: one that answers at once lets a policy without limit try for ever at one moment. */
    const val LEAST_LATENCY = 0.001
}

internal fun requirePositive(name: String, value: Double) =
    require(value > 0 && value.isFinite()) { "$name must be above zero: $value" }

internal fun requireSeconds(name: String, value: Double, least: Double = 1.0) =
    require(value in least..Limits.SECONDS) { "$name must be from $least to ${Limits.SECONDS}: $value" }
