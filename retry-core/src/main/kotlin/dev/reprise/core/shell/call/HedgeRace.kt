package dev.reprise.core.shell.call

import dev.reprise.core.Attempt
import dev.reprise.core.FailureKind
import dev.reprise.core.Verdict
import dev.reprise.core.WhenRetriedBelow
import dev.reprise.core.shell.ShellApi
import dev.reprise.core.shell.causeOf
import dev.reprise.core.shell.layers.AttemptScope
import dev.reprise.core.shell.machine.CopyDue
import dev.reprise.core.shell.machine.RetryState

/**
 * The race of a slow first attempt and its copy: two executions of one attempt, of whose outcomes the call sees one. A shell
 * runs it in these steps:
 *
 * 1. It starts the first execution and waits at most [delayNanos] for its end.
 * 2. If that has not ended, it asks [copyStarts], and starts the copy if it gets an attempt for it.
 * 3. It reports each end by [returned] or [threw], until one of them says that the race is over. Then it cancels the other
 *    execution, whose result, should it have one, is discarded, and reports the outcome of the winner to the call.
 *
 * The first accepted or final outcome wins. A failure that may be retried waits for the other execution, and starts none; if
 * both fail so, one after which no retry may follow is the outcome, else the one whose server asks for the longer delay, else a
 * throttle, else the first execution's.
 *
 * Confined to its call: an outcome that arrives on another thread is handed over safely. Never waits.
 */
@ShellApi
public class HedgeRace internal constructor(
    private val call: CallRecord,
    private val hedges: Hedges,
    private val first: WatchedAttempt,
) {
    private val setup get() = call.setup
    private val options get() = call.state.options
    private val events get() = call.events
    private val startedAt get() = first.startedAt

    /** How long to wait for the first execution, in ns; `Long.MAX_VALUE` where no copy is sent. */
    public val delayNanos: Long = hedges.delayNanos(options.label, first.timeLeftNanos, startedAt)

    private var copySentAt = RetryState.UNCLOCKED

    /** The tokens that the copy took; none without a copy. */
    internal var tokens = 0
        private set
    private var waiting: Outcome? = null
    private var winner: Outcome? = null

    /** Whether the outcome of the copy is that of the attempt. */
    public val hasCopyWon: Boolean get() = winner?.isCopy == true

    /** Whether a copy was paid for. */
    internal val hasCopy: Boolean get() = copySentAt != RetryState.UNCLOCKED

    /** When the execution was sent whose outcome counts. */
    internal val sentAt: Long get() = if (hasCopyWon) copySentAt else startedAt

    /** Whether the end of the race says how long the first execution takes, at least: not if that had failed before. */
    internal val tellsTime: Boolean get() = waiting?.isCopy != false

    /**
     * Pays for the copy and returns it as its block sees it, numbered as the next attempt; `null` if it may not be sent, or if
     * code of others throws meanwhile.
     */
    public fun copyStarts(): Attempt? = runCatching { startsCopy() }.getOrNull()

    private fun startsCopy(): Attempt? {
        val now = setup.clock.nanoTime()
        val told = events?.at(now)
        val refusal = hedges.refusal(
            now,
            takesPermit = { !setup.isAdaptive || setup.takesPermit(now) },
            putsBack = { setup.sendRate?.putBack() },
            pays = {
                val paid = setup.machine.next(first.state, CopyDue, now, setup.draws) as? RetryState
                tokens = paid?.lastCost ?: 0
                paid != null
            },
        )
        if (refusal != null) {
            told?.hedgeRefused(refusal)
            return null
        }
        if (tokens > 0) told?.quotaTaken(tokens)
        told?.hedgeStarted(now - startedAt)
        copySentAt = now
        return CopiedAttempt(first)
    }

    /** An execution returned [result]. Its [scope] is as in [RetryCall.completed]. Returns whether the race is over. */
    @JvmOverloads
    public fun returned(isCopy: Boolean, result: Any?, scope: AttemptScope? = null): Boolean =
        ended(isCopy, result, null, runCatching { setup.judge.verdictOn(result, first.number, events) }, scope)

    /** An execution threw [failure], which means [thrown], and, to this client, [verdict]. Returns whether the race is over. */
    @JvmOverloads
    public fun threw(
        isCopy: Boolean,
        failure: Throwable,
        thrown: Thrown,
        verdict: Verdict?,
        scope: AttemptScope? = null,
    ): Boolean {
        // A cancellation is final, and the call does not ask for its verdict.
        val isFinal = thrown == Thrown.CANCELLATION
        val judged = runCatching { if (isFinal) Verdict.Reject else setup.judge.verdictOn(failure, thrown, verdict) }
        return ended(isCopy, null, failure, judged, scope)
    }

    private fun ended(
        isCopy: Boolean,
        result: Any?,
        failure: Throwable?,
        judged: Result<Verdict>,
        scope: AttemptScope?,
    ): Boolean {
        check(winner == null) { "the race is over" }
        val judge = setup.judge
        val action = options.whenRetriedBelow(setup.policy)
        val marked = judged.mapCatching {
            val verdict = action.on(it)
            val isStopped = action == WhenRetriedBelow.STOP
            if (isStopped) judge.marked(verdict, failure ?: result, call.tickBefore, scope) else verdict
        }
        // For the race alone: the call reads the delay of its outcome itself, and tells of headers that cannot be read.
        val full = marked.mapCatching { judge.withServerDelay(it, result, failure, events = null) }
        val outcome = Outcome(isCopy, result, failure, marked, full.getOrDefault(Verdict.Reject))
        val other = waiting
        val runsOn = hasCopy && other == null
        if (outcome.mayBeRetried && runsOn) {
            waiting = outcome
            return false
        }
        val winner = if (other != null && outcome.mayBeRetried) worse(outcome, other) else outcome
        this.winner = winner
        if (other != null) hears(if (winner === other) outcome else other)
        if (winner.isCopy) events?.atTimeOf(setup.clock)?.hedgeWon()
        return true
    }

    /** Tells send rate and hedges of the outcome that the call does not see. */
    private fun hears(lost: Outcome) {
        val now = setup.clock.nanoTime()
        hedges.heard(lost.verdict, 0, now)
        if (!setup.isAdaptive) return
        setup.answered(lost.verdict, lost.result, lost.failure, if (lost.isCopy) copySentAt else startedAt, now)
    }

    private fun worse(a: Outcome, b: Outcome): Outcome = when {
        a.forbidsRetry != b.forbidsRetry -> if (a.forbidsRetry) a else b
        a.asksNanos != b.asksNanos -> if (a.asksNanos > b.asksNanos) a else b
        a.isThrottle != b.isThrottle -> if (a.isThrottle) a else b
        else -> if (b.isCopy) a else b
    }

    /**
     * The verdict on [outcome], if that is the one that counts; else `null`: a limit fired, or code of others threw. Throws
     * what the classifier threw.
     */
    internal fun verdictOn(outcome: Any?): Verdict? = winner?.takeIf { it.gave(outcome) }?.judged?.getOrThrow()

    private class Outcome(
        val isCopy: Boolean,
        val result: Any?,
        val failure: Throwable?,
        /** The verdict, or what was thrown in its place: the call hears of it when it asks for the verdict, and ends. */
        val judged: Result<Verdict>,
        /** The verdict with the server's delay. */
        val verdict: Verdict,
    ) {
        private val retry = verdict as? Verdict.Retry
        val mayBeRetried: Boolean get() = retry != null
        val isThrottle: Boolean get() = retry?.kind == FailureKind.THROTTLING
        val asksNanos: Long get() = retry?.serverDelay?.nanos ?: -1

        /** Coroutines may copy an exception on its way, with the original as its cause. */
        fun gave(outcome: Any?): Boolean = when (failure) {
            null -> outcome === result
            else -> outcome === failure || (outcome is Throwable && causeOf(outcome) === failure)
        }

        /** Whether a server said so, as by gRPC's negative pushback, or a retrier below has given up. */
        val forbidsRetry: Boolean
            get() = retry != null && (retry.isRetriedBelow || (retry.serverDelay?.nanos ?: 0) < 0)
    }
}
