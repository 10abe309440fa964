package dev.reprise.lab.scenario

/** How much one simulation may ask for, so that a slip of the keyboard is an error and not a run without end. */
internal object Limits {
    const val CLIENTS = 1_000_000

    /** Calls that one run may be expected to make. */
    const val CALLS = 100_000_000L

    /** Seconds: a day. */
    const val LATEST = 86_400.0
}
