package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.Waiter
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

/** A face of the library, at work in virtual time. */
internal class Face(
    /** Waits for send permits, and for backoffs under the suspend face. */
    val waiter: (VirtualTime) -> Waiter = { it.waiter },
    private val make: (VirtualTime, Scenario.Call, Retrier) -> Any?,
) {
    /** Makes [call] and returns when it has ended; its listeners report the end. */
    fun play(time: VirtualTime, call: Scenario.Call, retrier: Retrier) {
        try {
            make(time, call, retrier)
        } catch (_: Throwable) {
            Thread.interrupted() // An attempt may have thrown that it was interrupted.
        }
    }
}

/** `retrier { }` in a coroutine. The tests have the other faces, which say the same. */
internal val SUSPEND = Face { time, call, retrier ->
    time.run {
        retrier(call.options) { attempt ->
            val outcome = call.outcomeOf(attempt.number)
            time.suspendFor(outcome.takesNanos.nanoseconds)
            outcome.give(time.nanoTime())
        }
    }
}

/** Ends an attempt at [now]: returns a response, so that policies judge it, or throws. */
internal fun Scenario.Outcome.give(now: Long): Any = when (this) {
    is Scenario.Response -> received(now)
    is Scenario.Failure -> throw failure
}
