package dev.reprise.coroutines

import kotlinx.coroutines.delay
import kotlin.time.Duration

/** Waits. Replaced only by programs that simulate time; tests under `runTest` need no replacement. */
public fun interface Waiter {
    /** Returns after at least [duration], which is above zero; throws `CancellationException` at once when cancelled. */
    public suspend fun await(duration: Duration)

    public companion object {
        /** Waits with [delay], which rounds up to whole ms. */
        @JvmField
        public val DELAY: Waiter = Waiter { delay(it) }
    }
}
