package dev.reprise.conformance.faults

import dev.reprise.core.Attempt
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.Executor
import kotlin.time.Duration.Companion.nanoseconds

/*
 * The caller's work, whose attempts come to what the plan says, and which answers a cancellation in one of four ways.
 */

internal suspend fun World.suspending(attempt: Attempt): Any = suspending(attempt.number)

internal suspend fun World.suspending(number: Int): Any {
    val step = begins(number)
    if (step.takesNanos > 0) {
        try {
            time.suspendFor(step.takesNanos.nanoseconds)
        } catch (e: CancellationException) {
            when (step.answer) {
                Answer.RETHROW, Answer.RESTORE -> throw e
                Answer.OWN_FAILURE -> throw ScriptedFailure(step.verdict)
                Answer.VALUE -> Unit
            }
        }
    }
    return give(step)
}

internal fun World.blocking() = object : BlockingAttempt<Any, Exception> {
    override fun releasesBeforeWait() = false.also { saboteur.use(Site.QUESTION) }

    override fun mayRepeat() = true.also { saboteur.use(Site.QUESTION) }

    override fun make(attempt: Attempt): Any {
        val step = begins(attempt.number)
        waits(step)
        return give(step)
    }

    override fun discard(result: Any) {
        results.discarded(result)
        saboteur.use(Site.DISCARD)
    }
}

/** The time that [step] takes on a thread, with its answer to an interrupt. */
private fun World.waits(step: Step) {
    if (step.takesNanos == 0L) return
    try {
        time.await(step.takesNanos.nanoseconds)
    } catch (e: InterruptedException) {
        when (step.answer) {
            Answer.RETHROW -> throw e

            Answer.RESTORE -> {
                Thread.currentThread().interrupt()
                throw e
            }

            Answer.OWN_FAILURE -> {
                hasSwallowed = true
                throw ScriptedFailure(step.verdict)
            }

            Answer.VALUE -> hasSwallowed = true
        }
    }
}

/** Attempts as stages: completed ones, and some that do not care for being cancelled. */
internal class Stages(private val world: World) : AsyncAttempt<Any> {
    private var number = 0

    override fun start(attempt: Attempt): CompletionStage<Any>? = with(world) {
        val step = begins(attempt.number)
        if (++number == plan.nullStageAt) return null
        if (step.takesNanos == 0L) return CompletableFuture.completedFuture(give(step))
        Stage(step)
    }

    override fun executor(): Executor? {
        world.saboteur.use(Site.OWN_EXECUTOR)
        return null
    }

    override fun releasesBeforeWait() = false.also { world.saboteur.use(Site.QUESTION) }

    override fun mayRunTwice() = true.also { world.saboteur.use(Site.QUESTION) }

    override fun mayRepeat() = true.also { world.saboteur.use(Site.QUESTION) }

    override fun discard(result: Any) {
        world.results.discarded(result)
        world.saboteur.use(Site.DISCARD)
    }

    private inner class Stage(private val step: Step) : CompletableFuture<Any>() {
        private val timer = world.time.after(step.takesNanos.nanoseconds) { end() }

        private fun end() {
            if (step.throws) {
                completeExceptionally(ScriptedFailure(step.verdict))
                return
            }
            val result = world.results.make(step.verdict)
            if (!complete(result)) world.results.forget(result)
        }

        override fun cancel(mayInterruptIfRunning: Boolean): Boolean {
            world.saboteur.use(Site.STAGE_CANCEL)
            return when (step.answer) {
                Answer.RETHROW, Answer.RESTORE -> super.cancel(mayInterruptIfRunning).also { timer.run() }

                Answer.OWN_FAILURE -> completeExceptionally(ScriptedFailure(step.verdict)).also { timer.run() }

                // It goes on, and ends when it would have ended.
                Answer.VALUE -> false
            }
        }
    }
}
