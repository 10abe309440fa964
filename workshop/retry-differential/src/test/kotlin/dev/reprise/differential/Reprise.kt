package dev.reprise.differential

import dev.reprise.core.CallOptions
import dev.reprise.core.NanoClock
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryOutcome
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import kotlinx.coroutines.runBlocking

/** Reprise, whose waits are noted and not waited. */
object Reprise {
    /** Plays [script] under the preset that is to do as [sdk] does. */
    fun play(sdk: LivingSdk, script: Script): List<End> {
        val waits = mutableListOf<Long>()
        val retrier = retrier(sdk, script, waits)
        return script.calls.map { call ->
            waits.clear()
            val outcome = runBlocking {
                retrier.outcome(CallOptions { longPolling = call.isLongPoll }) { call.steps[it.number - 1].play() }
            }
            End(outcome is RetryOutcome.Success, outcome.attempts, waits.toList(), retrier.quota!!.available)
        }
    }

    /** A retrier for [script] that always draws the longest delay, and adds it to [waits]. */
    fun retrier(sdk: LivingSdk, script: Script, waits: MutableList<Long>): Retrier = Retrier(sdk.policy(script)) {
        clock = NanoClock { 0 }
        draws = RandomSource { sdk.longest }
        waiter = Waiter { waits += it.inWholeNanoseconds }
    }
}
