package dev.reprise.redis

import dev.reprise.core.RandomSource
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.Verdict
import dev.reprise.core.shell.machine.Decision
import dev.reprise.core.shell.machine.MachineInput
import dev.reprise.core.shell.machine.RetryMachine
import dev.reprise.core.shell.machine.RetryState
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.SharedQuota
import kotlin.math.ln

internal const val SECOND = 1_000_000_000L

/** A fleet whose clients call at random a server that is down from time to time; the machine of the library decides. */
internal class Outage(
    private val agenda: Agenda,
    private val quotas: List<Quota>,
    callsPerSecond: Double,
    private val isGood: (Long) -> Boolean,
) {
    private val machines = quotas.map { RetryMachine(RetryPolicy.STANDARD, it) }
    private val mean = SECOND / (callsPerSecond * quotas.size)
    var calls = 0
        private set
    var attempts = 0
        private set
    var successes = 0
        private set

    /** Calls that gave up since their quota could not pay. */
    var unpaid = 0
        private set

    /** The longest time that a call waited on for its quota, in ns. */
    var longestAdded = 0L
        private set

    val perCall: Double get() = attempts.toDouble() / calls

    fun begin() = later()

    fun reset() {
        calls = 0
        attempts = 0
        successes = 0
    }

    private fun later() {
        agenda.plan(agenda.now - (ln(1 - agenda.random.nextDouble()) * mean).toLong()) {
            later()
            calls++
            attempt(machines[agenda.random.nextInt(machines.size)], RetryState.first())
        }
    }

    private fun attempt(machine: RetryMachine, state: RetryState) {
        attempts++
        val verdict = if (isGood(agenda.now)) Verdict.Accept else Verdict.TRANSIENT
        if (verdict is Verdict.Accept) successes++
        val next = machine.next(
            state,
            MachineInput.Judged(verdict),
            agenda.now,
            RandomSource { agenda.random.nextDouble() },
        )
        if (next is RetryState) agenda.plan(agenda.now + next.delayNanos) { waited(machine, next, 0) }
        count(next)
    }

    private fun count(decision: Decision) {
        if (decision is Decision.GiveUp && decision.reason == StopReason.QUOTA) unpaid++
    }

    private fun waited(machine: RetryMachine, state: RetryState, added: Long) {
        longestAdded = maxOf(longestAdded, added)
        val quota = quotas[machines.indexOf(machine)]
        val longer = (quota as? SharedQuota)?.confirm(state.lastCost) ?: 0
        if (longer == 0L) return attempt(machine, state)
        if (longer > 0) return agenda.plan(agenda.now + longer) { waited(machine, state, added + longer) }
        unpaid++
        quota.giveBack(state.lastCost, null)
    }
}
