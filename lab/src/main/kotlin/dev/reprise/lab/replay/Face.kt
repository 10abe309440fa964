package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

/** A face of the library, at work in virtual time; [waiter] waits for send permits, and for backoffs under the suspend face. */
internal abstract class Face(protected val time: VirtualTime, val waiter: Waiter = time.waiter) {
    /**
     * Makes [call] and returns when it has ended. Its listeners report the end. It returns a value, so that policies
     * judge it.
     */
    fun play(call: Scenario.Call, retrier: Retrier) {
        try {
            make(call, retrier)
        } catch (_: Throwable) {
            Thread.interrupted() // An attempt may have thrown that it was interrupted.
        }
    }

    /** Makes [call]; returns or throws what the face does. */
    protected abstract fun make(call: Scenario.Call, retrier: Retrier): Any?
}

/** Ends an attempt at [now]: returns a response, or throws. */
internal fun Scenario.Outcome.give(now: Long): Any = when (this) {
    is Scenario.Response -> received(now)
    is Scenario.Failure -> throw failure
}

/** `retrier { }` in a coroutine. */
internal class SuspendFace(time: VirtualTime) : Face(time) {
    override fun make(call: Scenario.Call, retrier: Retrier) = time.run {
        retrier(call.options) { attempt ->
            val outcome = call.outcomeOf(attempt.number)
            time.suspendFor(outcome.takesNanos.nanoseconds)
            outcome.give(time.nanoTime())
        }
    }
}
