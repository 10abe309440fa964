package dev.reprise.lab.fleet

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.Decision
import dev.reprise.core.RetryMachine
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryState
import dev.reprise.core.StopReason
import dev.reprise.core.backoff.UNLIMITED_NANOS
import dev.reprise.core.classify.FailureKind
import dev.reprise.core.classify.ServerDelay
import dev.reprise.core.classify.Verdict
import dev.reprise.core.quota.RetryQuota
import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.SendRate
import dev.reprise.lab.fleet.budget.Budget
import dev.reprise.lab.fleet.server.Answer

/*
 * Where the lab touches the library's engine, and the only file that does.
 */

/** What the engine knows of one call. Reused: [Engine.begin] makes it new. */
internal class Progress {
    internal var state: RetryState = RetryState.ENDED

    /** Attempts that have begun. */
    var attempts = 0
        internal set

    /** How long to wait before the next attempt, in ns. */
    var delayNanos = 0L
        internal set

    /** Why the call ended, or `null` while it goes on. */
    var reason: StopReason? = null
        internal set
}

/** The engine of one client: a policy, with a quota and a send rate that this client's calls share. */
internal class Engine(
    private val rules: EngineRules,
    /** Pays for retries in place of the policy's quota, if there is one. */
    private val budget: Budget?,
    startedAt: Long,
    private val chance: Chance,
) {
    private val policy = rules.policy
    private val quota = policy.quota?.takeIf { budget == null }?.let { RetryQuota(it.capacity) }
    private val machine = RetryMachine(if (budget == null) policy else rules.free, quota)

    /** The send rate, or `null` outside adaptive mode. */
    val sendRate: SendRate? = policy.sendRate?.let { SendRate(it, startedAt) }

    val noPermit: NoPermit get() = policy.onNoPermit

    /** A call begins [now], in ns. It may be over at once, with nothing sent. */
    fun begin(call: Progress, now: Long) {
        call.state = if (policy.deadlineNanos == UNLIMITED_NANOS) FIRST else RetryState.first(now, CallOptions.DEFAULT)
        call.attempts = 0
        call.delayNanos = 0
        call.reason = null
        if (budget == null || budget.begins()) return
        call.reason = StopReason.QUOTA
        budget.ended()
    }

    /** An attempt begins [now]; returns how long it may take, in ns. */
    fun attempt(call: Progress, now: Long): Long {
        call.attempts = call.state.attempt
        return minOf(policy.attemptTimeoutNanos, timeLeft(call, now))
    }

    /** What is left of the call's deadline, in ns. */
    fun timeLeft(call: Progress, now: Long): Long = if (policy.deadlineNanos ==
        UNLIMITED_NANOS
    ) {
        UNLIMITED_NANOS
    } else {
        policy.deadlineNanos - (now - call.state.startedAt)
    }

    /** The attempt that was sent at [sentAt] ended [now] with [answer]. Afterwards the call is over or waits. */
    fun answered(call: Progress, answer: Answer, sentAt: Long, now: Long) {
        val verdict = rules.verdict(answer)
        sendRate?.record(verdict is Verdict.Retry && verdict.kind == FailureKind.THROTTLING, sentAt, now)
        if (budget != null) tell(budget, call, verdict)
        when (val decision = machine.next(call.state, verdict, now) { chance.uniform() }) {
            is Decision.RetryAfter -> retry(call, decision, verdict)
            is Decision.GiveUp -> call.reason = decision.reason
            is Decision.Accept -> call.reason = StopReason.SUCCESS
        }
        if (call.reason != null) budget?.ended()
    }

    /** There is no permit for the next attempt, and the policy does not wait for one: the call is over. */
    fun permitRefused(call: Progress) {
        if (call.state.attempt > call.attempts && call.state.lastCost > 0) quota?.refund(call.state.lastCost)
        if (call.attempts > 0) budget?.giveBack(rules.costOf(FailureKind.TRANSIENT), null)
        budget?.ended()
        call.reason = if (policy.onNoPermit == NoPermit.Wait) StopReason.DEADLINE else StopReason.RATE_LIMITED
    }

    private fun retry(call: Progress, decision: Decision.RetryAfter, verdict: Verdict) {
        val kind = (verdict as Verdict.Retry).kind
        if (budget != null && !budget.take(rules.costOf(kind), kind, null)) {
            call.reason = StopReason.QUOTA
            return
        }
        call.state = decision.next
        call.delayNanos = decision.delayNanos
    }

    private fun tell(budget: Budget, call: Progress, verdict: Verdict) {
        val isGood = verdict is Verdict.Accept
        budget.attemptEnded(call.attempts, isGood)
        if (isGood) budget.succeeded(if (call.attempts > 1) rules.costOf(FailureKind.TRANSIENT) else 0, null)
    }

    private companion object {
        val FIRST = RetryState.first(0, CallOptions.DEFAULT)
    }
}

/** What all clients with one [policy] share. */
internal class EngineRules(val policy: RetryPolicy) {
    private val verdicts = HashMap<Answer, Verdict>()

    /** The policy without its quota, for those who bring a budget of their own. */
    val free: RetryPolicy = policy.with { quota = null }

    /** What a retry costs after a failure of [kind]; 0 where the policy has no quota. */
    fun costOf(kind: FailureKind): Int = policy.quota?.costOf(kind) ?: 0

    /** What [answer] means to the policy's classifier, with the server's delay. */
    fun verdict(answer: Answer): Verdict = verdicts.getOrPut(answer) {
        if (answer.kind == Answer.Kind.TIMED_OUT) {
            policy.classifier.classifyFailure(AttemptTimeoutException(1, 0)) ?: Verdict.TIMEOUT
        } else {
            delayed(policy.classifier.classifyResult(answer) ?: Verdict.Accept, answer)
        }
    }

    private fun delayed(verdict: Verdict, answer: Answer): Verdict {
        if (verdict !is Verdict.Retry || verdict.serverDelay != null) return verdict
        for (rule in policy.serverDelays) {
            if (!rule.statuses.isEmpty && answer.status !in rule.statuses) continue
            val nanos = rule.header.read(answer)
            if (nanos >= 0) return verdict.withServerDelay(ServerDelay(nanos, rule))
        }
        return verdict
    }
}
