package dev.reprise.coroutines.shell

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlin.coroutines.ContinuationInterceptor
import kotlin.time.Duration

/** Waits. Replaced only by programs that simulate time; tests under `runTest` need no replacement. */
public fun interface Waiter {
    /** Returns after at least [duration], which is above zero; throws `CancellationException` at once when cancelled. */
    public suspend fun await(duration: Duration)

    public companion object {
        /**
         * Waits with [delay], which rounds up to whole ms. A coroutine without a dispatcher, or with [Dispatchers.Unconfined], goes on in
         * [Dispatchers.Default]: there is one thread for all timers, and an attempt that blocks it would hold up all waits and limits of
         * the process.
         */
        @JvmField
        public val DELAY: Waiter = Waiter { offTimers { delay(it) } }
    }
}

/** Returns the result of [wait], which a timer may end, on no timer's thread. */
internal suspend fun <T> offTimers(wait: suspend () -> T): T {
    val dispatcher = currentCoroutineContext()[ContinuationInterceptor]
    val isFree = dispatcher == null || dispatcher === Dispatchers.Unconfined
    return if (isFree) withContext(Dispatchers.Default) { wait() } else wait()
}
