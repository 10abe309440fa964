package dev.reprise.coroutines

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.NextStep
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.call.RetryCall
import dev.reprise.core.shell.call.Thrown
import dev.reprise.core.shell.layers.Moments
import dev.reprise.core.shell.machine.Repeatable
import dev.reprise.core.shell.text.oneLine
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.onRetriedBelow
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours

/**
 * Collects this flow again when it fails, as [retrier]'s policy says. One collection is one call, with a state of its
 * own. Its attempts are collections of the upstream; the next attempt emits again the values that were emitted before a
 * failure.
 *
 * A completed flow has succeeded; no classifier is called. Exceptions of the downstream are never retried, nor is
 * cancellation: either cancels the call, and so does a downstream that stops collecting. The policy's attempt timeout
 * and its judgement of results do not apply to a flow. Its deadline does, as do those of [options] and [withDeadline]:
 * a collection in progress is cut off at it, with the downstream, and one that begins later collects nothing.
 *
 * A stream that runs for days should not end at its third failure. With [startOverAfter], a failure of a collection
 * that has lasted at least this long counts as the failure of a first attempt. The call before it has succeeded, and a
 * new one begins under the [retrier]'s then current policy. The policy's deadline does not cut such a collection off. A flow
 * without it whose attempts run out after an hour or more says so once in the log.
 */
public fun <T> Flow<T>.retry(
    retrier: Retrier,
    options: CallOptions = CallOptions.DEFAULT,
    startOverAfter: Duration = Duration.INFINITE,
): Flow<T> {
    require(startOverAfter.isPositive()) { "startOverAfter must be above zero: $startOverAfter" }
    // A collection that begins anew repeats no other call's work, so what was retried below does not end it.
    val own = options.onRetriedBelow(WhenRetriedBelow.RETRY)
    return flow {
        val context = currentCoroutineContext()
        context.ensureActive()
        FlowShell(retrier, own, startOverAfter.inWholeNanoseconds, null, context).collect(this@retry, this)
    }
}

/**
 * Collects this flow again when it fails, as [retrier]'s policy says, while [work] may be repeated: otherwise the failure ends
 * the call. A collection is the work itself, begun anew, so what was retried below ends it if the policy says so.
 * Cancellation is that of [retry].
 */
@ShellApi
public fun <T> Flow<T>.retry(retrier: Retrier, options: CallOptions, work: Repeatable): Flow<T> = flow {
    val context = currentCoroutineContext()
    context.ensureActive()
    FlowShell(retrier, options, UNLIMITED_NANOS, work, context).collect(this@retry, this)
}

/**
 * The shell of one collection of a flow. It has a loop of its own, since a flow has no result to report, and starting
 * over continues in another call.
 */
private class FlowShell(
    private val retrier: Retrier,
    private val options: CallOptions,
    private val startOverAfter: Long,
    private val work: Repeatable?,
    private val context: CoroutineContext,
) {
    /** When the last attempt began, if it never suspended, and so held one thread; else 0. */
    private var from = 0L

    /** Whether a collection after the first failure has lasted an hour, and its failure did not start over. */
    private var hasLasted = false

    suspend fun <T> collect(upstream: Flow<T>, downstream: FlowCollector<T>) {
        val setup = retrier.setup
        setup.warnOfHedge("a Flow is collected without copies")
        val bounded = bounded(setup)
        val madeAt = Moments.next()
        // Clocks are code of others: read before there is a call that would have to end if they throw.
        var end = endOf(bounded, setup)
        var call = setup.beginBounded(bounded, ResultKind.VALUE)
        while (call.next != NextStep.DONE) {
            try {
                if (call.next != NextStep.ATTEMPT) {
                    stepBetween<T>(call, null)
                    continue
                }
                val failed = attempt(call, end, upstream, downstream)
                if (failed == null) {
                    call = call.completed(Unit, verdict = Verdict.Accept) ?: return
                    continue
                }
                if (failed.thrown == Thrown.FAILURE) context.ensureActive()
                if (failed.startsOver) {
                    // Deadline sources and clocks are code of others: asked while there is a call that they can end.
                    val now = retrier.setup
                    val next = bounded(now)
                    val at = now.clock.nanoTime()
                    end = endOf(next, now)
                    call = call.completed(Unit, verdict = Verdict.Accept)
                        ?: now.takeOver(next, ResultKind.VALUE, startedAt = at, sentAt = at)
                }
                if (call.next == NextStep.ATTEMPT) {
                    call = call.failed(failed.cause, failed.thrown, scope = scope(call, failed.cause, madeAt))
                }
                if (call.next != NextStep.DONE) context.ensureActive()
                if (call.next == NextStep.REPEAT) call.repeats(work?.mayRepeat() ?: true)
            } catch (e: Throwable) {
                call = call.broke(e)
            }
        }
        call.madeIn(SuspendScope(madeAt, 0, 0, context))
        val failure = call.failure() ?: return
        if (hasLasted && call.outcome()?.reason == StopReason.ATTEMPTS) tellOfLife(call.setup)
        throw failure
    }

    /** A stream is meant to go on, and each of its failures counts until it ends. */
    private fun tellOfLife(setup: CallSetup) {
        val name = setup.name?.let { "[${oneLine(it)}] " }.orEmpty()
        setup.warn(
            "${name}a retried flow ended after ${setup.policy.maxAttempts} failures, although a collection had " +
                "lasted an hour or more: attempts count for the whole life of a flow, unless " +
                "flow.retry(retrier, startOverAfter = 1.minutes) says otherwise",
        )
    }

    private fun scope(call: RetryCall, failure: Throwable, madeAt: Long) =
        if (call.isMarked(failure)) SuspendScope.of(madeAt, from, context) else null

    /** Collects once. Returns how that failed, or `null` if the flow completed. */
    private suspend fun <T> attempt(
        call: RetryCall,
        end: Long,
        upstream: Flow<T>,
        downstream: FlowCollector<T>,
    ): Failed? {
        val attempt = call.attemptStarts()
        val isTimed = startOverAfter != UNLIMITED_NANOS || call.deadlineAt != UNLIMITED_NANOS || attempt.number > 1
        val startedAt = if (isTimed) call.setup.clock.nanoTime() else 0
        var failed: Failed? = null
        try {
            noted {
                withinLimit(attempt, limit(call, end, startedAt)) {
                    try {
                        val caught = upstream.catch { failed = Failed(it, meaningOf(it, currentCoroutineContext())) }
                        downstream.emitAll(caught)
                    } catch (e: Throwable) {
                        // Unless the collection was cut off the downstream failed, or wants no more: a retry cannot help.
                        if (!currentCoroutineContext().isActive) throw e
                        failed = Failed(e, Thrown.CANCELLATION)
                    }
                }
            }
        } catch (e: Throwable) {
            val isCutOff = e is AttemptTimeoutException && context.isActive
            return Failed(e, if (isCutOff) Thrown.FAILURE else Thrown.CANCELLATION)
        }
        return failed?.after(if (isTimed) call.setup.clock.nanoTime() - startedAt else 0)
    }

    /** Runs [work], and notes [from] when it held this thread. */
    @Suppress("UNCHECKED_CAST")
    private suspend fun noted(work: suspend () -> Unit): Unit = suspendCoroutineUninterceptedOrReturn { own ->
        val now = Moments.now()
        from = 0
        (work as (Continuation<Unit>) -> Any?)(own).also { if (it !== COROUTINE_SUSPENDED) from = now }
    }

    /** How long a collection that begins [now] may take, in ns. One that is to start over is bounded by [end] alone. */
    private fun limit(call: RetryCall, end: Long, now: Long): Long {
        val left = timeLeft(call.deadlineAt, now)
        return if (left < startOverAfter) left else timeLeft(end, now)
    }

    private fun timeLeft(at: Long, now: Long) = if (at == UNLIMITED_NANOS) at else (at - now).coerceAtLeast(0)

    private fun Failed.after(lasted: Long): Failed {
        startsOver = startOverAfter != UNLIMITED_NANOS && thrown != Thrown.CANCELLATION && lasted >= startOverAfter
        hasLasted = !startsOver && (hasLasted || lasted >= LONG)
        return this
    }

    private fun bounded(setup: RetrierSetup) = setup.bounded(options.within(context))

    /** The deadline of a call of [options] that begins now, without its policy's. */
    private fun endOf(options: CallOptions, setup: RetrierSetup): Long {
        val left = options.deadline ?: return UNLIMITED_NANOS
        return setup.clock.nanoTime() + left.inWholeNanoseconds
    }
}

private val LONG = 1.hours.inWholeNanoseconds

/** How a collection failed. */
private class Failed(val cause: Throwable, val thrown: Thrown) {
    /** Whether it had lasted so long that the call before it has succeeded. */
    var startsOver = false
}
