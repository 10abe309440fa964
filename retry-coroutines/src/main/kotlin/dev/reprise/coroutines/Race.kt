package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.HedgeRace
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.coroutines.shell.SuspendAttempt
import dev.reprise.coroutines.shell.Waiter
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlin.coroutines.Continuation
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.coroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.startCoroutineUninterceptedOrReturn
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.time.Duration.Companion.nanoseconds

/**
 * Makes [attempt] of [block] as a [race] of two executions, and returns or throws the winner's outcome. Both are
 * children of the calling coroutine, so that it does not end before them; the race itself does not wait for the loser.
 */
internal suspend fun <T> raced(race: HedgeRace, attempt: Attempt, waiter: Waiter, block: suspend (Attempt) -> T): T {
    val both = Race(race, attempt, waiter, currentCoroutineContext(), block)
    try {
        return both.run()
    } finally {
        both.close()
    }
}

/**
 * The first execution begins on the caller's thread, and the caller goes on where that ends, as without a race. Only the
 * loser is cancelled: what the winner started goes on. Since the caller's own job cannot be cancelled alone, the first execution
 * has one, that of a scope: it counts as the caller's coroutine, as for a flow's `emit`.
 */
private class Race<T>(
    private val race: HedgeRace,
    private val attempt: Attempt,
    private val waiter: Waiter,
    context: CoroutineContext,
    private val block: suspend (Attempt) -> T,
) {
    /** How an execution ended, and the result that it made, which a limit may have made void. */
    private class Ended<T>(
        val isCopy: Boolean,
        val result: Result<T>,
        val thrown: Thrown,
        val made: Result<T>?,
        val scope: AttemptScope,
        /** Whether the execution was cancelled, and not the call: by its dispatcher, by a coroutine that it started, by the race. */
        val isCut: Boolean,
    ) {
        val isLimit: Boolean
            get() = result.exceptionOrNull() is AttemptTimeoutException &&
                made?.exceptionOrNull() !== result.exceptionOrNull()

        fun failedBy(failure: Throwable) = Ended<T>(isCopy, Result.failure(failure), Thrown.FAILURE, made, scope, isCut)
    }

    // A coroutine without a dispatcher goes on where it is resumed, and so do its children.
    private val scope = CoroutineScope(
        context + if (context[ContinuationInterceptor] == null) Dispatchers.Unconfined else EmptyCoroutineContext,
    )

    // Guarded by this.
    private var outcome: Result<T>? = null
    private var caller: Continuation<T>? = null
    private var reported: Ended<T>? = null
    private var first: Job? = null
    private var copy: Job? = null

    /** Whether the call is asked something. Code of others may end an execution meanwhile, on this thread: that is heard later. */
    private var isAsking = false
    private var unheard: Ended<T>? = null

    /** What has ended and whose result, if there is one, the caller does not get. */
    private val lost = ArrayList<Ended<T>>(2)

    suspend fun run(): T = suspendCoroutineUninterceptedOrReturn { continuation ->
        val first: suspend () -> Unit = { executeFirst() }
        first.startCoroutineUninterceptedOrReturn(Continuation(continuation.context) {})
        // What ends at once needs no copy.
        val copy = if (isOver()) null else scope.launch(start = CoroutineStart.UNDISPATCHED) { copies() }
        val ended = synchronized(this) {
            this.copy = copy
            if (outcome == null) caller = continuation
            outcome
        }
        if (ended == null) {
            COROUTINE_SUSPENDED
        } else {
            loser()?.cancel()
            ended.getOrThrow()
        }
    }

    private suspend fun copies() {
        // A timer of others may throw: no copy then, as if the race were over.
        runCatching { waiter.await(race.delayNanos.nanoseconds) }.onFailure { return }
        val copied = synchronized(this) {
            if (outcome != null) return
            asks { race.copyStarts() }
        }
        goesOn(isCopy = true)
        if (copied != null && !isOver()) ends(execute(copied, isCopy = true))
    }

    private suspend fun executeFirst() {
        var cut: Ended<T>? = null
        val failure = runCatching {
            coroutineScope {
                first = coroutineContext.job
                val end = execute(attempt, isCopy = false)
                if (end.isCut) cut = end else ends(end)
            }
        }.exceptionOrNull().takeIf { it !is CancellationException && !race.hasCopyWon }
        // A coroutine that the block started has failed, and with it the scope: it fails the caller too, unless that supervises. Then
        // the call tells it, or the exception handler if the call has ended.
        if (failure != null && cut == null) scope.launch(start = CoroutineStart.UNDISPATCHED) { throw failure }
        val end = cut ?: return
        if (failure != null) scope.async<Unit>(start = CoroutineStart.UNDISPATCHED) { throw failure }
        ends(if (failure == null || end.thrown != Thrown.CANCELLATION) end else end.failedBy(failure))
    }

    private suspend fun execute(execution: Attempt, isCopy: Boolean): Ended<T> {
        var made: Result<T>? = null
        val result = runCatching {
            // The limit is that of the attempt, for both.
            withinLimit(attempt) { runCatching { block(execution) }.also { made = it }.getOrThrow() }
        }
        val thrown = result.exceptionOrNull()?.let { meaningOf(it, coroutineContext) } ?: Thrown.FAILURE
        val isCut = !coroutineContext.isActive && scope.isActive
        return Ended(isCopy, result, thrown, made, SuspendScope(0, 0, 0, coroutineContext), isCut)
    }

    private suspend fun ends(end: Ended<T>) {
        val isLate = synchronized(this) { (outcome != null).also { if (!it) hears(end) } }
        // Either the race closes it, or this does.
        if (isLate) close(end) else goesOn(end.isCopy)
    }

    private fun hears(end: Ended<T>) = if (isAsking) unheard = end else asks { outcome = outcomeWith(end) }

    private inline fun <R> asks(call: () -> R): R {
        isAsking = true
        val answer = call()
        isAsking = false
        val next = unheard
        unheard = null
        if (next != null) if (outcome == null) hears(next) else lost += next
        return answer
    }

    private fun loser(): Job? = if (race.hasCopyWon) first else copy

    /** The call goes on if the race is over and it has not yet. The thread is the caller's, unless it [isCopy]'s. */
    private fun goesOn(isCopy: Boolean) {
        val resumed = synchronized(this) { caller.takeIf { outcome != null }?.also { caller = null } } ?: return
        loser()?.cancel()
        (if (isCopy) resumed.intercepted() else resumed).resumeWith(outcome!!)
    }

    /** The outcome of the race, in which an execution has [ended][end]; `null` while it goes on. */
    private fun outcomeWith(end: Ended<T>): Result<T>? {
        val other = reported
        reported = end
        val isOver = runCatching { end.isLimit || reports(end) }.getOrElse {
            // Code of others: a clock, the client's verdict.
            lost += listOfNotNull(end, other)
            return Result.failure(it)
        }
        if (!isOver) return null
        val winner = if (other == null || end.isLimit || race.hasCopyWon == end.isCopy) end else other
        lost += listOfNotNull(end, other).filter { it !== winner || it.result.isFailure }
        return winner.result
    }

    private fun reports(end: Ended<T>): Boolean {
        val failure =
            end.result.exceptionOrNull() ?: return race.returned(end.isCopy, end.result.getOrNull(), end.scope)
        if (end.isCut && end.isCopy) return race.threw(true, failure, Thrown.FAILURE, Verdict.TRANSIENT, end.scope)
        val verdict = if (end.thrown == Thrown.FAILURE) (block as? SuspendAttempt)?.verdictOn(failure) else null
        return race.threw(end.isCopy, failure, end.thrown, verdict, end.scope)
    }

    private fun isOver() = synchronized(this) { outcome != null }

    /** Closes what has ended and did not win; what ends later closes itself. */
    suspend fun close(): Unit = synchronized(this) { lost.toList() }.forEach { close(it) }

    /** Discards the result of [end], if it has one. What that throws is lost with the execution: it is no outcome of the call. */
    private suspend fun close(end: Ended<T>) {
        val work = block as? SuspendAttempt ?: return
        val made = end.made ?: return
        withContext(NonCancellable) { made.onSuccess { runCatching { work.discard(it) } } }
    }
}
