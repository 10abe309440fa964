package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.Waiter
import dev.reprise.lab.time.VirtualTime
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** `retrier { }` in a coroutine. */
internal class SuspendFace(private val time: VirtualTime) : Face {
    private val scope = CoroutineScope(time)

    override val waiter: Waiter get() = time.waiter

    override fun play(call: Scenario.Call, retrier: Retrier) {
        scope.launch {
            try {
                retrier(call.options) { attempt ->
                    val outcome = call.outcomeOf(attempt.number)
                    time.await(outcome.takesNanos)
                    outcome.give(time.nanoTime())
                }
            } catch (_: Throwable) {
                // Listeners know.
            }
        }
        time.runToEnd()
    }
}
