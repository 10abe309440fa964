package dev.reprise.benchmarks

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import java.util.concurrent.CompletableFuture

/* Hand-written loops: the floors for all measurements. No quota, no classifier, no jitter. */

/** The suspending floor: a function that takes a block, as anyone would write it. */
suspend fun <T> handWritten(delayMillis: Long, block: suspend () -> T): T {
    var attempt = 1
    while (true) {
        try {
            return block()
        } catch (e: CancellationException) {
            throw e
        } catch (e: Exception) {
            if (attempt++ >= ATTEMPTS) throw e
        }
        if (delayMillis > 0) delay(delayMillis)
    }
}

/** The blocking floor. */
inline fun <T> handWrittenBlocking(delayMillis: Long, block: () -> T): T {
    var attempt = 1
    while (true) {
        try {
            return block()
        } catch (e: Exception) {
            if (attempt++ >= ATTEMPTS) throw e
        }
        if (delayMillis > 0) Thread.sleep(delayMillis)
    }
}

/** The asynchronous floor, for [left] attempts. */
fun handWrittenFuture(left: Int, work: () -> CompletableFuture<Any>): CompletableFuture<Any> =
    work().exceptionallyCompose { failure ->
        if (left == 1) CompletableFuture.failedFuture(failure) else handWrittenFuture(left - 1, work)
    }
