package dev.reprise.coroutines

import kotlinx.coroutines.delay
import kotlin.time.Duration.Companion.nanoseconds

/** Waits. Replaced only by programs that simulate time; tests under `runTest` need no replacement. */
public fun interface Waiter {
    /** Returns after at least [nanos] ns; throws `CancellationException` at once when the coroutine is cancelled. */
    public suspend fun await(nanos: Long)

    public companion object {
        /** Waits with [delay], which rounds up to whole ms. */
        @JvmField
        public val DELAY: Waiter = Waiter { delay(it.nanoseconds) }
    }
}
