package dev.reprise.ktor

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.time.Duration

/**
 * Returns the result of [block], or `null` if it takes longer than [limit]. [withTimeoutOrNull] starts a timer at once,
 * which wakes another thread and costs more than a request. This starts one only if [block] suspends, and most bodies
 * have arrived when they are read.
 */
internal suspend fun <T : Any> orNullAfter(limit: Duration, block: suspend CoroutineScope.() -> T): T? =
    coroutineScope {
        val work = async(start = CoroutineStart.UNDISPATCHED, block = block)
        if (work.isCompleted) work.await() else withTimeoutOrNull(limit) { work.await() } ?: null.also { work.cancel() }
    }
