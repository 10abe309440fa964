package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

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
