@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.conformance

import dev.reprise.core.DeadlineSource
import dev.reprise.core.RetryOutcome
import dev.reprise.core.backoff.RandomSource
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
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.toJavaDuration

/** One way to call the library, in virtual time. */
sealed class Face {
    /** Makes one call to its end. */
    protected abstract fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended

    /**
     * Plays [scenario], and tells all that can be seen of it from outside; without a listener only how calls end. Each call
     * has the time that [left] tells, if it tells any.
     */
    fun play(scenario: Scenario, isWatched: Boolean = true, left: Duration? = null): Trace {
        val time = VirtualTime()
        val trace = Trace()
        val quota = scenario.quota?.let { RetryQuota(scenario.policy.quota!!.capacity, it) }
        var draws = 0
        val retrier =
            Retrier(scenario.policy) {
                this.quota = quota
                listeners(if (isWatched) listOf(trace) else emptyList())
                clock = time
                this.draws = RandomSource { scenario.draws[draws++ % scenario.draws.size] }
                waiter = time.waiter
                deadlines = left?.let { DeadlineSource { it.toJavaDuration() } }
            }
        for (call in scenario.calls) {
            val ended = end(call.fresh(), retrier, time)
            time.settle()
            trace.ended(ended, time, quota?.available)
        }
        return trace
    }

    companion object {
        /** Those whose calls return any value, and can be asked for their outcome. */
        val PLAIN: List<Face> get() = listOf(SuspendFace, BlockingFace, FutureFace)

        /** All of them: for scenarios whose results are responses. */
        val ALL: List<Face> get() = PLAIN + listOf(KtorFace, HttpFace, HttpAsyncFace)
    }
}

/** How a call ended: with a [value], or with what was [thrown]; on some faces there is an [outcome] as well. */
class Ended(val value: Any?, val thrown: Throwable?, val attempts: Int, val outcome: RetryOutcome<Any?>? = null) {
    companion object {
        fun of(outcome: RetryOutcome<Any?>, attempts: Int): Ended = of(attempts, outcome) { outcome.getOrThrow() }

        inline fun of(attempts: Int, outcome: RetryOutcome<Any?>? = null, call: () -> Any?): Ended = try {
            Ended(call(), null, attempts, outcome)
        } catch (e: Throwable) {
            Ended(null, e, attempts, outcome)
        }
    }
}

data object SuspendFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val scope = CoroutineScope(time.dispatcher)
        val end = scope.async(start = CoroutineStart.UNDISPATCHED) {
            retrier.outcome(call.options) {
                val step = call.next()
                delay(step.takesNanos.nanoseconds)
                step.give()
            }
        }
        time.until { end.isCompleted }
        return Ended.of(end.getCompleted(), call.begun)
    }
}

data object BlockingFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val work = BlockingAttempt<Any?, Throwable> {
            val step = call.next()
            time.await(step.takesNanos.nanoseconds)
            step.give()
        }
        val outcome = JavaRetrier.sharing(
            retrier,
            time,
            Runnable::run,
        ).withOptions(call.options).outcomeWithAttempt(work)
        return Ended.of(outcome, call.begun)
    }
}

data object FutureFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val java = JavaRetrier.sharing(retrier, time, Runnable::run)
        val end = java.withOptions(call.options).outcomeAsyncWithAttempt<Any?> { start(call.next(), time) }
        return Ended.of(time.join(end), call.begun)
    }

    private fun start(step: Step, time: VirtualTime): CompletionStage<Any?> {
        if (step.takesNanos == 0L) return CompletableFuture.completedFuture(step.give())
        val work = CompletableFuture<Any?>()
        val timer = time.after(step.takesNanos.nanoseconds) {
            if (step.failure == null) work.complete(step.result) else work.completeExceptionally(step.failure.invoke())
        }
        work.whenComplete { _, _ -> timer.run() }
        return work
    }
}

internal const val MILLI = 1_000_000L
