package dev.reprise.coroutines.shell

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
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
internal suspend fun <T> offTimers(wait: suspend () -> T): T =
    if (isOnTimers()) withContext(Dispatchers.Default) { wait() } else wait()

/** [withTimeoutOrNull] after which, and in whose [block], nothing runs on a timer's thread. */
internal suspend fun <T : Any> withinTime(limit: Duration, block: suspend CoroutineScope.() -> T): T? {
    if (!isOnTimers() || !limit.isPositive()) return withTimeoutOrNull(limit, block)
    var isOver = false
    return try {
        coroutineScope {
            val work = this
            val timer = launch(Dispatchers.Default, CoroutineStart.UNDISPATCHED) {
                delay(limit)
                isOver = true
                work.cancel()
            }
            block().also { timer.cancel() }
        }
    } catch (e: CancellationException) {
        if (isOver) null else throw e
    }
}

/** Whether the coroutine goes on where it is resumed: also on the one thread of all timers. */
private suspend fun isOnTimers(): Boolean {
    val dispatcher = currentCoroutineContext()[ContinuationInterceptor]
    return dispatcher == null || dispatcher === Dispatchers.Unconfined
}
