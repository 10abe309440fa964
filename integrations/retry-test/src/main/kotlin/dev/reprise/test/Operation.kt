package dev.reprise.test

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.future.future
import java.util.concurrent.Callable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException
import java.util.function.Supplier
import kotlin.time.Duration.Companion.nanoseconds

/** The operation of one service, which calls the dependency that [CurrentCall] has. */
internal interface Operation {
    /** The dependency of the operations that run now. */
    class CurrentCall {
        lateinit var dependency: Dependency
    }

    /** Runs it to its end. */
    fun run(dependency: Dependency): Result<Any?>

    /** Runs it twice at once, to both ends. Coroutines and futures go side by side, threads as [meeting] says. */
    fun runTwice(dependency: Dependency, meeting: Meeting): List<Result<Any?>>

    /** The waits of each of both, as far as they are known and the other one did not make them longer. */
    val gapsOfEach: List<List<Gap>>? get() = null
}

/** An operation on a thread of its own, which a loop without end keeps. */
internal class BlockingOperation(private val time: VirtualTime, private val operation: Callable<*>) : Operation {
    override fun run(dependency: Dependency): Result<Any?> {
        val run = onThread()
        dependency.cancel = { run.thread.interrupt() }
        return run.begin().end(dependency)
    }

    override var gapsOfEach: List<List<Gap>>? = null
        private set

    /** The second one runs while the first one is in a call or in a wait, unless they lock each other out. */
    override fun runTwice(dependency: Dependency, meeting: Meeting): List<Result<Any?>> {
        val first = onThread()
        var second: OnThread? = null
        var taken: Long? = null
        val runSecond = {
            val start = time.nanoTime()
            val run = onThread().also { second = it }.begin()
            if (run.awaitFor(WHILE_LOCKED)) taken = time.nanoTime() - start
        }
        dependency.during = { call ->
            if (call == meeting.call && second == null) {
                if (meeting.isInWait) time.after(1.nanoseconds) { runSecond() } else runSecond()
            }
        }
        val end = first.begin().end(dependency)
        val both = listOfNotNull(end, second?.end(dependency))
        val ofFirst = taken.takeUnless { meeting.isInWait }
            ?.let { dependency.gapsOn(first.thread).shorter(meeting.call - 1, it) }
        gapsOfEach = listOfNotNull(second?.let { dependency.gapsOn(it.thread) }, ofFirst)
        return both
    }

    /** These, of which the one at [index] was [taken] ns longer than it would have been. */
    private fun List<Gap>.shorter(index: Int, taken: Long) =
        mapIndexed { i, gap -> if (i == index) Gap(gap.virtual - taken, gap.real) else gap }

    private fun onThread() = OnThread(time, operation::call)
}

/** [work] on a thread of its own. */
private class OnThread(private val time: VirtualTime, private val work: () -> Any?) {
    private val end = CompletableFuture<Result<Any?>>()
    val thread = Thread({ end.complete(runCatching(work)) }, "fault-probe").apply { isDaemon = true }

    fun begin() = apply { thread.start() }

    fun awaitFor(millis: Long): Boolean = try {
        end.get(millis, TimeUnit.MILLISECONDS)
        true
    } catch (_: TimeoutException) {
        false
    }

    fun end(dependency: Dependency): Result<Any?> {
        var seen = -1L
        var idle = 0
        while (!awaitFor(LOOK) && !dependency.isStuck) {
            val now = dependency.calls + time.happened
            idle = if (now == seen) idle + 1 else 0
            seen = now
            if (idle > PATIENCE) return Result.failure(AssertionError("the operation has not ended"))
        }
        return end.getNow(endless())
    }
}

/** An operation in a coroutine, or one that returns a future. */
internal class AsyncOperation private constructor(
    private val time: VirtualTime,
    private val start: (Dependency) -> CompletableFuture<*>,
) : Operation {
    override fun run(dependency: Dependency): Result<Any?> {
        val future = start(dependency)
        dependency.cancel = { future.cancel(true) }
        return ends(dependency, listOf(future)).single()
    }

    override fun runTwice(dependency: Dependency, meeting: Meeting) = ends(dependency, List(2) { start(dependency) })

    private fun ends(dependency: Dependency, all: List<CompletableFuture<*>>): List<Result<Any?>> {
        val waited = runCatching { time.until { dependency.isStuck || all.all { it.isDone } } }
        return all.map { end ->
            if (end.isDone) runCatching { end.join() } else waited.fold({ endless() }, { Result.failure(it) })
        }
    }

    companion object {
        /** It begins with the next step of the time, when its first call can cancel it. */
        fun ofCoroutine(time: VirtualTime, operation: suspend () -> Any?) =
            AsyncOperation(time) { CoroutineScope(time.dispatcher).future { operation() } }

        /** It begins on a thread of its own, which a loop that joins its calls without end keeps. */
        fun ofFuture(time: VirtualTime, operation: Supplier<out CompletableFuture<*>>) = AsyncOperation(time) {
            OnThread(time, operation::get).begin().end(it).mapCatching { end -> end as CompletableFuture<*> }
                .getOrElse { failure -> CompletableFuture.failedFuture<Any?>(failure) }
        }
    }
}

private fun endless(): Result<Any?> = Result.failure(AssertionError("the operation calls without end"))

private const val WHILE_LOCKED = 200L

private const val LOOK = 5L
private const val PATIENCE = 6_000
