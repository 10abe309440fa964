@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.conformance.faults

import dev.reprise.core.Attempt
import dev.reprise.coroutines.retry
import dev.reprise.java.AsyncAttempt
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.http.RetryingHttpClient
import dev.reprise.test.ScriptedHttpClient
import dev.reprise.test.ScriptedResponse
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.flow.flow
import java.net.URI
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.ExecutionException

/** How one call ended: it returned [value], or threw [thrown]. */
class End(val value: Any?, val thrown: Throwable?) {
    /** Whether the thread's interrupt flag was set when the call returned. Cleared since. */
    var isInterrupted = false

    /** How many bodies of responses were neither read nor cancelled. */
    var openBodies = { 0 }

    override fun toString(): String = thrown?.toString() ?: "$value"
}

private typealias Play = World.() -> End

/** Every way to call the library, in a world whose every part may break. */
enum class FaceUnderFault(val isVirtual: Boolean, private val play: Play) {
    SUSPEND(true, {
        inCoroutine {
            if (plan.asOutcome) retrier.outcome(options) { suspending(it) } else retrier(options) { suspending(it) }
        }
    }),
    FLOW(true, {
        inCoroutine {
            var attempt = 0
            flow { emit(suspending(++attempt)) }.retry(retrier, options).collect { results.discarded(it) }
        }
    }),
    BLOCKING(false, {
        saboteur.cancel = { if (Thread.currentThread() === main) main.interrupt() }
        cancelsInTime()
        onThisThread {
            if (plan.asOutcome) {
                java.outcomeWithAttempt(
                    options,
                    blocking(),
                )
            } else {
                java.callWithAttempt(options, blocking())
            }
        }
    }),
    FUTURE(false, {
        asFuture {
            if (plan.asOutcome) {
                java.outcomeAsyncWithAttempt(
                    options,
                    Stages(this),
                )
            } else {
                java.callAsyncWithAttempt(options, Stages(this))
            }
        }
    }),
    EXECUTOR(false, {
        asFuture {
            if (plan.asOutcome) {
                java.outcomeAsyncWithAttempt(options, blocking(), executor)
            } else {
                java.callAsyncWithAttempt(options, blocking(), executor)
            }
        }
    }),
    HTTP(false, {
        saboteur.cancel = { if (Thread.currentThread() === main) main.interrupt() }
        cancelsInTime()
        val (client, retrying) = httpClients()
        onThisThread { retrying.send(REQUEST, BodyHandlers.ofString()) }.also { it.openBodies = client::openBodies }
    }),
    HTTP_ASYNC(false, {
        val (client, retrying) = httpClients()
        asFuture { retrying.sendAsync(REQUEST, BodyHandlers.ofString()) }.also { it.openBodies = client::openBodies }
    }),
    KTOR(true, { throughKtor() }),
    ;

    /** Whether results of this face are closed when nobody gets them. */
    val discards get() = this == BLOCKING || this == FUTURE || this == EXECUTOR

    /** Whether a call may stand in the line for permits: that of futures is on other threads, where runs do not repeat. */
    val mayQueue get() = this != BLOCKING && this != HTTP

    /** Makes the call in [world], to its end. */
    fun end(world: World): End = world.play()
}

internal fun World.inCoroutine(block: suspend CoroutineScope.() -> Any?): End {
    val job = Job()
    saboteur.cancel = { job.cancel() }
    cancelsInTime()
    if (plan.isUnwanted) saboteur.cancelNow()
    val end = CoroutineScope(time.dispatcher + job).async(start = CoroutineStart.UNDISPATCHED, block = block)
    time.until { end.isCompleted }
    job.cancel()
    return try {
        End(end.getCompleted(), null)
    } catch (e: Throwable) {
        End(null, e)
    }
}

private fun World.onThisThread(block: () -> Any?): End {
    val end = try {
        End(block(), null)
    } catch (e: Throwable) {
        End(null, e)
    }
    end.isInterrupted = Thread.interrupted()
    return end
}

private fun World.asFuture(block: () -> CompletableFuture<*>): End {
    val future = try {
        block()
    } catch (e: Throwable) {
        return End(null, e)
    }
    saboteur.cancel = { future.cancel(true) }
    cancelsInTime()
    time.until { future.isDone }
    return onThisThread {
        try {
            future.get()
        } catch (e: ExecutionException) {
            throw e.cause ?: e
        } catch (e: CompletionException) {
            throw e.cause ?: e
        }
    }
}

private suspend fun World.suspending(attempt: Attempt): Any = suspending(attempt.number)

internal suspend fun World.suspending(number: Int): Any {
    val step = begins(number)
    if (step.takesNanos > 0) {
        try {
            time.suspendFor(step.takesNanos)
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

private fun World.blocking() = object : BlockingAttempt<Any, Exception> {
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
        time.await(step.takesNanos)
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
private class Stages(private val world: World) : AsyncAttempt<Any> {
    private var number = 0

    override fun start(attempt: Attempt): CompletionStage<Any>? = with(world) {
        val step = begins(attempt.number)
        if (++number == plan.nullStageAt) return null
        if (step.takesNanos == 0L) return CompletableFuture.completedFuture(give(step))
        Stage(step)
    }

    override fun discard(result: Any) {
        world.results.discarded(result)
        world.saboteur.use(Site.DISCARD)
    }

    private inner class Stage(private val step: Step) : CompletableFuture<Any>() {
        private val timer = world.time.after(step.takesNanos) { end() }

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

private val REQUEST: HttpRequest = HttpRequest.newBuilder(URI("http://service.test/")).build()

private fun World.httpClients(): Pair<ScriptedHttpClient, RetryingHttpClient> {
    var number = 0
    val client = ScriptedHttpClient(time) {
        val step = begins(++number)
        val response = if (step.throws) {
            ScriptedResponse.failure { ScriptedFailure(step.verdict) }
        } else {
            ScriptedResponse.status(World.STATUSES.getValue(step.verdict), "body")
        }
        response.after(step.takesNanos)
    }
    return client to RetryingHttpClient.around(client).retriers { java }.options { options }.build()
}
