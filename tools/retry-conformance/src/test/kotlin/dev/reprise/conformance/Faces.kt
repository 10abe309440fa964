@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.conformance

import dev.reprise.core.RetryOutcome
import dev.reprise.core.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import kotlin.time.Duration.Companion.nanoseconds

/** One way to call the library, in virtual time. */
sealed class Face {
    /** Makes one call to its end. */
    protected abstract fun outcome(call: ScriptedCall, retrier: Retrier, time: VirtualTime): RetryOutcome<Any?>

    /** Plays [scenario], and tells all that can be seen of it from outside; without a listener only how calls end. */
    fun play(scenario: Scenario, isWatched: Boolean = true): Trace {
        val time = VirtualTime()
        val trace = Trace()
        val quota = scenario.quota?.let { RetryQuota(scenario.policy.quota!!.capacity, it) }
        var draws = 0
        val retrier = Retrier.builder(scenario.policy).quota(quota).listeners(if (isWatched) listOf(trace) else emptyList()).clock(time).draws { scenario.draws[draws++ % scenario.draws.size] }.waiter { time.await(it) }.build()
        for (call in scenario.calls) {
            val outcome = outcome(call, retrier, time)
            time.settle()
            trace.ended(outcome, time, quota?.available)
        }
        return trace
    }

    companion object {
        val ALL: List<Face> get() = listOf(SuspendFace, BlockingFace, FutureFace)
    }
}

data object SuspendFace : Face() {
    override fun outcome(call: ScriptedCall, retrier: Retrier, time: VirtualTime): RetryOutcome<Any?> {
        val scope = CoroutineScope(time.dispatcher)
        val end = scope.async(start = CoroutineStart.UNDISPATCHED) {
            retrier.outcome(call.options) { attempt ->
                val step = call.step(attempt.number)
                delay(step.takesNanos.nanoseconds)
                step.give()
            }
        }
        time.until { end.isCompleted }
        return end.getCompleted()
    }
}

data object BlockingFace : Face() {
    override fun outcome(call: ScriptedCall, retrier: Retrier, time: VirtualTime): RetryOutcome<Any?> =
        JavaRetrier.sharing(retrier, time, Runnable::run).outcomeWithAttempt(
            call.options,
            BlockingAttempt<Any?, Throwable> { attempt ->
                val step = call.step(attempt.number)
                time.await(step.takesNanos)
                step.give()
            },
        )
}

data object FutureFace : Face() {
    override fun outcome(call: ScriptedCall, retrier: Retrier, time: VirtualTime): RetryOutcome<Any?> {
        val java = JavaRetrier.sharing(retrier, time, Runnable::run)
        val end = java.outcomeAsyncWithAttempt<Any?>(call.options) { attempt -> start(call.step(attempt.number), time) }
        return time.join(end)
    }

    private fun start(step: Step, time: VirtualTime): CompletionStage<Any?> {
        if (step.takesNanos == 0L) return CompletableFuture.completedFuture(step.give())
        val work = CompletableFuture<Any?>()
        val callOff = time.after(step.takesNanos) {
            if (step.failure == null) work.complete(step.result) else work.completeExceptionally(step.failure.invoke())
        }
        work.whenComplete { _, _ -> callOff.run() }
        return work
    }
}

internal const val MILLI = 1_000_000L
