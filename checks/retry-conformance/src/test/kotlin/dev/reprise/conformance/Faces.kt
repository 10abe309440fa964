package dev.reprise.conformance

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.DeadlineSource
import dev.reprise.core.RandomSource
import dev.reprise.core.RetryOutcome
import dev.reprise.core.RetryStoppedException
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.retry
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.test.VirtualTime
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.ExecutionException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.toJavaDuration

/** One way to call the library, in virtual time. */
sealed class Face {
    /** Makes one call to its end. */
    abstract fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended

    /**
     * Plays [scenario], and tells all that can be seen of it from outside; without a listener only how calls end. Each call
     * has the time that [left] tells, if it tells any.
     */
    fun play(scenario: Scenario, isWatched: Boolean = true, left: Duration? = null): Trace {
        val time = VirtualTime()
        val trace = Trace()
        val quota = scenario.quota?.let { RetryQuota(scenario.policy.quota!!.capacity, it) }
        var draws = 0
        val retrier = Retrier(scenario.policy) {
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
        val PLAIN: List<Face> get() = listOf(SuspendFace, BlockingFace, FutureFace, ExecutorFace, MonoFace)

        /** All of them: for scenarios whose results are responses. */
        val ALL: List<Face> get() = PLAIN + listOf(KtorFace, HttpFace, HttpAsyncFace)

        /** Those that suspend, and so see the context of their caller. */
        val SUSPENDING: List<SuspendingFace> get() = listOf(SuspendFace, FlowFace, KtorFace)

        /** All that there are, also those that judge no results: for scenarios of failures. */
        val EVERY: List<Face> get() = ALL + listOf(FlowFace, FluxFace, GrpcFace)
    }
}

/** A way to call the library from a coroutine. */
sealed class SuspendingFace : Face() {
    /** Makes one call to its end, in the caller's context. */
    abstract suspend fun make(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Any?

    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val end = runCatching { time.run { make(call, retrier, time) } }
        return Ended.of(call.begun) { end.getOrThrow() }
    }
}

/** How a call ended: with a [value], or with what was [thrown]; on some faces there is an [outcome] as well. */
class Ended(val value: Any?, val thrown: Throwable?, val attempts: Int, val outcome: RetryOutcome<Any?>? = null) {
    companion object {
        /** The end of [future], a [call] that goes on as [time] passes. */
        fun of(future: CompletableFuture<*>, call: ScriptedCall, time: VirtualTime): Ended {
            time.until { future.isDone }
            return of(call.begun) {
                try {
                    future.get()
                } catch (e: ExecutionException) {
                    throw e.cause ?: e
                }
            }
        }

        fun of(outcome: RetryOutcome<Any?>, attempts: Int): Ended = of(attempts, outcome) { outcome.getOrThrow() }

        inline fun of(attempts: Int, outcome: RetryOutcome<Any?>? = null, call: () -> Any?): Ended = try {
            Ended(call(), null, attempts, outcome)
        } catch (e: Throwable) {
            Ended(null, ours(e), attempts, outcome)
        }

        /** Callers of HTTP clients see an IOException in place of one of ours, which is its cause or that of its copy. */
        fun ours(thrown: Throwable): Throwable {
            if (thrown !is IOException) return thrown
            return generateSequence<Throwable>(thrown) { it.cause }
                .firstOrNull { it is AttemptTimeoutException || it is RetryStoppedException } ?: thrown
        }
    }
}

data object SuspendFace : SuspendingFace() {
    override suspend fun make(call: ScriptedCall, retrier: Retrier, time: VirtualTime): RetryOutcome<Any?> =
        retrier.outcome(call.options) { call.next().suspending() }

    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended =
        Ended.of(time.run { make(call, retrier, time) }, call.begun)
}

/** A flow of one value, collected to its end. */
data object FlowFace : SuspendingFace() {
    override suspend fun make(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Any? {
        var last: Any? = null
        flow { emit(call.next().suspending()) }.retry(retrier, call.options).collect { last = it }
        return last
    }
}

private suspend fun Step.suspending(): Any? {
    delay(takesNanos.nanoseconds)
    return give()
}

/** The attempts of [call] as work that a thread does. */
internal class ScriptedWork(private val call: ScriptedCall, private val time: VirtualTime) :
    BlockingAttempt<Any?, Exception> {
    override fun make(attempt: Attempt): Any? {
        val step = call.next()
        time.await(step.takesNanos.nanoseconds)
        return step.give()
    }

    override fun mayRepeat(): Boolean = call.mayRepeat
}

/** The attempts of [call] as stages. */
internal class ScriptedStages(private val call: ScriptedCall, private val time: VirtualTime) : AsyncAttempt<Any?> {
    override fun start(attempt: Attempt): CompletionStage<Any?> {
        val step = call.next()
        if (step.takesNanos == 0L) return CompletableFuture.completedFuture(step.give())
        val work = CompletableFuture<Any?>()
        val timer = time.after(step.takesNanos.nanoseconds) {
            if (step.failure == null) work.complete(step.result) else work.completeExceptionally(step.failure.invoke())
        }
        work.whenComplete { _, _ -> timer.run() }
        return work
    }

    override fun mayRepeat(): Boolean = call.mayRepeat
}

data object BlockingFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val java = JavaRetrier.sharing(retrier, time, Runnable::run)
        return Ended.of(java.withOptions(call.options).outcomeWithAttempt(ScriptedWork(call, time)), call.begun)
    }
}

data object FutureFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val java = JavaRetrier.sharing(retrier, time, Runnable::run)
        val end = java.withOptions(call.options).outcomeAsyncWithAttempt<Any?>(ScriptedStages(call, time))
        return Ended.of(time.join(end), call.begun)
    }
}

/** Work of a thread that an executor runs. */
data object ExecutorFace : Face() {
    override fun end(call: ScriptedCall, retrier: Retrier, time: VirtualTime): Ended {
        val java = JavaRetrier.sharing(retrier, time, time.executor)
        val end = java.withOptions(call.options).outcomeAsyncWithAttempt<Any?>(ScriptedWork(call, time), time.executor)
        return Ended.of(time.join(end), call.begun)
    }
}

internal const val MILLI = 1_000_000L
