package dev.reprise.differential

import dev.reprise.core.CallOptions
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import kotlinx.coroutines.runBlocking

/** Reprise, whose waits are noted and not waited. */
object Reprise {
    fun play(policy: RetryPolicy, script: Script): List<End> {
        val waits = mutableListOf<Long>()
        val retrier = retrier(policy, waits)
        return script.calls.map { call ->
            waits.clear()
            val outcome = runBlocking {
                retrier.outcome(CallOptions(longPolling = call.isLongPoll)) { call.steps[it.number - 1].play() }
            }
            End(outcome is RetryOutcome.Success, outcome.attempts, waits.toList(), retrier.quota!!.available)
        }
    }

    /** A retrier of [policy] that always draws the longest delay, and adds it to [waits]. */
    fun retrier(policy: RetryPolicy, waits: MutableList<Long>): Retrier = Retrier(
        policy,
        clock = { 0 },
        draws = { 1.0 },
        waiter = { waits += it },
    )
}
