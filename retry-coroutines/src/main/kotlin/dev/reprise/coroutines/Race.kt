package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.shell.call.HedgeRace
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.time.MILLI
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * Makes [attempt] of [block] as a [race] of two executions, and returns or throws the winner's outcome. Both are
 * children of the calling coroutine, so that it does not end before them; the race itself does not wait for the loser.
 */
internal suspend fun <T> raced(race: HedgeRace, attempt: Attempt, block: suspend (Attempt) -> T): T {
    // The caller's scope: that of the limit would wait for the loser.
    val scope = CoroutineScope(currentCoroutineContext())
    val both = Race(race, scope, block)
    try {
        return makeWithin(attempt, block, both::run)
    } finally {
        // Not within the attempt's limit, which is not there to end the winner for the sake of what is closed.
        both.close()
    }
}

private class Race<T>(
    private val race: HedgeRace,
    private val scope: CoroutineScope,
    private val block: suspend (Attempt) -> T,
) {
    private class Ended<T>(val isCopy: Boolean, val result: Result<T>, val thrown: Thrown)

    private val ended = ConcurrentLinkedQueue<Ended<T>>()
    private val signal = Channel<Unit>(Channel.CONFLATED)

    /** What was reported to the race, without its winner. */
    private val reported = ArrayList<Ended<T>>(2)

    @Volatile
    private var isOver = false

    suspend fun run(attempt: Attempt): T {
        val first = start(attempt, isCopy = false)
        var copy: Job? = null
        var winner: Ended<T>? = null
        try {
            // The copy begins on the thread that this ends on.
            if (!first.isCompleted) offTimers { withTimeoutOrNull(nearestMillis(race.delayNanos)) { signal.receive() } }
            // What ended in the very moment of the delay needs no copy.
            winner = winner()
            if (winner == null) copy = race.copyStarts()?.let { start(it, isCopy = true) }
            while (winner == null) {
                signal.receive()
                winner = winner()
            }
        } finally {
            isOver = true
            first.cancel()
            copy?.cancel()
        }
        return winner.result.getOrThrow()
    }

    /** A delay of [nanos], which is at least 1 ms: rounded up, as a timeout of coroutines is, a learnt one would be too long. */
    private fun nearestMillis(nanos: Long) = (nanos / MILLI + nanos % MILLI / (MILLI / 2)).coerceAtLeast(1)

    private fun start(attempt: Attempt, isCopy: Boolean): Job = scope.launch(start = CoroutineStart.UNDISPATCHED) {
        val result = runCatching { block(attempt) }
        val thrown = result.exceptionOrNull()?.let { meaningOf(it, coroutineContext) } ?: Thrown.FAILURE
        val end = Ended(isCopy, result, thrown)
        ended += end
        // Either the race closes it, or this does: whoever takes it out of the queue.
        if (isOver && ended.remove(end)) close(end) else signal.trySend(Unit)
    }

    /** Reports what has ended, and returns the winner, if there is one. */
    private fun winner(): Ended<T>? {
        while (true) {
            val end = ended.poll() ?: return null
            reported += end
            if (isOver(end)) return reported.single { it.isCopy == race.hasCopyWon }.also(reported::remove)
        }
    }

    private fun isOver(end: Ended<T>): Boolean {
        val failure = end.result.exceptionOrNull() ?: return race.returned(end.isCopy, end.result.getOrNull())
        val verdict = if (end.thrown == Thrown.FAILURE) (block as? SuspendAttempt)?.verdictOn(failure) else null
        return race.threw(end.isCopy, failure, end.thrown, verdict)
    }

    /** Closes what has ended and did not win; what ends later closes itself. */
    suspend fun close() {
        reported.forEach { close(it) }
        while (true) close(ended.poll() ?: return)
    }

    /** Discards the result of [end], if it has one. What that throws is lost with the execution: it is no outcome of the call. */
    private suspend fun close(end: Ended<T>) {
        val work = block as? SuspendAttempt ?: return
        withContext(NonCancellable) { end.result.onSuccess { runCatching { work.discard(it) } } }
    }
}
