package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

/** A face of the library, at work in virtual time. */
internal interface Face {
    /** How send permits are waited for under this face, and backoffs under the suspend one. */
    val waiter: Waiter

    /** Makes [call] and returns when it has ended, whatever it ended with: how it did is for listeners to tell. */
    fun play(call: Scenario.Call, retrier: Retrier)
}

/** Ends an attempt at [now]: returns a response, or throws. */
internal fun Scenario.Outcome.give(now: Long): Any = when (this) {
    is Scenario.Response -> received(now)
    is Scenario.Failure -> throw failure
}

/** Runs [call] to its end. What it ends with is for listeners to tell; it is a value, so that policies judge it. */
internal inline fun untilEnd(call: () -> Any?) {
    try {
        call()
    } catch (_: Throwable) {
        Thread.interrupted() // An attempt may have thrown that it was interrupted.
    }
}

/** `retrier { }` in a coroutine. */
internal class SuspendFace(private val time: VirtualTime) : Face {
    override val waiter: Waiter get() = time.waiter

    override fun play(call: Scenario.Call, retrier: Retrier) = untilEnd {
        time.run {
            retrier(call.options) { attempt ->
                val outcome = call.outcomeOf(attempt.number)
                time.suspendFor(outcome.takesNanos.nanoseconds)
                outcome.give(time.nanoTime())
            }
        }
    }
}
