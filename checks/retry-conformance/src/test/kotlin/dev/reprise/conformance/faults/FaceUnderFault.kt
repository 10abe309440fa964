package dev.reprise.conformance.faults

import dev.reprise.coroutines.retry
import kotlinx.coroutines.flow.flow
import java.net.http.HttpResponse.BodyHandlers

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
            val java = java.withOptions(options)
            if (plan.asOutcome) java.outcomeWithAttempt(blocking()) else java.callWithAttempt(blocking())
        }
    }),
    FUTURE(false, {
        asFuture {
            val java = java.withOptions(options)
            if (plan.asOutcome) java.outcomeAsyncWithAttempt(Stages(this)) else java.callAsyncWithAttempt(Stages(this))
        }
    }),
    EXECUTOR(false, {
        asFuture {
            val java = java.withOptions(options)
            if (plan.asOutcome) {
                java.outcomeAsyncWithAttempt(blocking(), executor)
            } else {
                java.callAsyncWithAttempt(blocking(), executor)
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
    MONO(false, { asFuture { subscribed() } }),
    FLUX(false, { asFuture { collected() } }),
    GRPC(false, { asFuture { throughGrpc() } }),
    ;

    /** Whether results of this face are closed when nobody gets them. */
    val discards get() = this == BLOCKING || this == FUTURE || this == EXECUTOR || this == MONO

    /** Whether two executions of one attempt may run at once: not where each holds this thread. */
    val hedges get() = this == SUSPEND || this == FUTURE || this == HTTP_ASYNC || this == KTOR || this == GRPC

    /** Whether results of this face are judged. */
    val judges get() = this != FLOW && this != FLUX

    /** Whether a call may stand in the line for permits: that of futures is on other threads, where runs do not repeat. */
    val mayQueue get() = this != BLOCKING && this != HTTP

    /** Makes the call in [world], to its end. */
    fun end(world: World): End = world.play()
}
