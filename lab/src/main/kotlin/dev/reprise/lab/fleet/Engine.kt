package dev.reprise.lab.fleet

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.FailureKind
import dev.reprise.core.NanoClock
import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.ServerDelay
import dev.reprise.core.StopReason
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.MachineInput
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.ServerDelay
import dev.reprise.core.shell.values.attemptTimeoutNanos
import dev.reprise.core.shell.values.deadlineNanos
import dev.reprise.core.shell.values.header
import dev.reprise.core.shell.values.ranges
import dev.reprise.core.shell.values.read
import dev.reprise.core.shell.values.statuses
import dev.reprise.lab.fleet.budget.Budget
import dev.reprise.virtualtime.Chance

/*
 * Where the lab touches the library's engine, and the only file that does.
 */

/** One call: the [state] has the attempt that comes next, runs or has just ended, and the wait before it. */
internal class Progress(var state: RetryState) {
    /** Why the call ended, or `null` while it runs. */
    var reason: StopReason? = null
}

/** The engine of one client: a policy, with a quota and a send rate that this client's calls share. */
internal class Engine(
    private val rules: EngineRules,
    /** Pays for retries in place of the policy's own quota, if there is one. */
    private val budget: Budget?,
    clock: NanoClock,
    private val chance: Chance,
) {
    private val policy = if (budget == null) rules.policy else rules.paid
    private val machine = RetryMachine(policy, budget ?: policy.quota?.newQuota(clock))
    private val isTimed = policy.deadlineNanos != UNLIMITED_NANOS

    /** The send rate, or `null` outside adaptive mode. */
    val sendRate: SendRate? = policy.sendRate?.let { SendRate(it, clock.nanoTime()) }

    val noPermit: NoPermit get() = policy.onNoPermit

    /** A call of [operation] begins [now], in ns. It may be over at once, with nothing sent. */
    fun begin(now: Long, operation: Int): Progress {
        val call = Progress(if (isTimed) RetryState.first(now, rules.options[operation]) else rules.first[operation])
        if (budget != null && !budget.begins()) {
            call.reason = StopReason.QUOTA
            budget.ended()
        }
        return call
    }

    /** How long the attempt may take that begins [now], in ns. */
    fun limit(call: Progress, now: Long): Long =
        minOf(policy.attemptTimeoutNanos(call.state.attempt), timeLeft(call, now))

    /** The rest of the call's deadline, in ns. */
    fun timeLeft(call: Progress, now: Long): Long =
        if (isTimed) policy.deadlineNanos - (now - call.state.startedAt) else UNLIMITED_NANOS

    /** The attempt that was sent at [sentAt] ended [now] with [answer]. Afterwards the call is over or waits. */
    fun answered(call: Progress, answer: Answer, sentAt: Long, now: Long) {
        val report = rules.report(answer)
        val verdict = report.verdict
        sendRate?.record(outcomeOf(verdict), sentAt, now)
        if (budget != null) {
            budget.sampled(sentAt, now, isRefused = verdict is Verdict.Retry && verdict.kind != FailureKind.TRANSIENT)
            budget.attemptEnded(call.state.attempt, isGood = verdict is Verdict.Accept)
        }
        decide(call, report, now)
    }

    private fun outcomeOf(verdict: Verdict): RateOutcome = when (verdict) {
        Verdict.Accept -> RateOutcome.ACCEPTED
        Verdict.Reject -> RateOutcome.FAILED
        is Verdict.Retry -> if (verdict.kind == FailureKind.THROTTLING) RateOutcome.THROTTLED else RateOutcome.FAILED
    }

    /** There is no permit for the next attempt, and the policy does not wait for one: the call is over. */
    fun permitRefused(call: Progress, now: Long) = decide(call, MachineInput.NO_PERMIT, now)

    private fun decide(call: Progress, report: MachineInput, now: Long) {
        when (val decision = machine.next(call.state, report, now, { chance.uniform() })) {
            is RetryState -> {
                call.state = decision
                return
            }

            is Decision.GiveUp -> call.reason = decision.reason

            is Decision.Accept -> call.reason = StopReason.SUCCESS
        }
        budget?.ended()
    }
}

/** The state that all clients with one [policy] share. */
internal class EngineRules(val policy: RetryPolicy, operations: List<String> = listOf("all")) {
    /** The options of a call of each operation: its name, if there are several. */
    val options: List<CallOptions> =
        if (operations.size == 1) listOf(CallOptions.DEFAULT) else operations.map(CallOptions::named)

    /** The state in which a call of each operation begins. */
    val first: List<RetryState> = options.map { RetryState.first(options = it) }

    /** The policy with a quota to pay from, for those who bring a budget of their own: it counts retries, not tokens. */
    val paid: RetryPolicy = policy.with {
        quota = policy.quota ?: TokenBucketSettings.builder().cost(1).throttlingCost(1).timeoutCost(1).build()
    }

    private val reports = HashMap<Answer, MachineInput.Judged>()

    /** The classifier's verdict on [answer], with the server's delay. */
    fun report(answer: Answer): MachineInput.Judged = reports.getOrPut(answer) {
        if (answer === Answer.TIMED_OUT) {
            val failure = AttemptTimeoutException(1, 0)
            MachineInput.Judged(policy.classifier.classifyFailure(failure) ?: Verdict.TIMEOUT, failure, null)
        } else {
            val verdict = policy.classifier.classifyResult(answer) ?: Verdict.Accept
            MachineInput.Judged(delayed(verdict, answer), null, answer)
        }
    }

    private fun delayed(verdict: Verdict, answer: Answer): Verdict {
        if (verdict !is Verdict.Retry || verdict.serverDelay != null) return verdict
        for (rule in policy.serverDelays) {
            if (rule.statuses.ranges.isNotEmpty() && answer.status !in rule.statuses) continue
            val nanos = rule.header.read(answer)
            if (nanos >= 0) return verdict.withServerDelay(ServerDelay(nanos, rule))
        }
        return verdict
    }
}
