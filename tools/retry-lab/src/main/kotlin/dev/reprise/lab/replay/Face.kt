package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.lab.time.VirtualTime
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** A face of the library, at work in virtual time. */
internal fun interface Face {
    /** Makes [call] and returns when it has ended, whatever it ended with. */
    fun play(call: Scenario.Call, retrier: Retrier)

    companion object {
        /** The faces by name. */
        val ALL: Map<String, (VirtualTime) -> Face> = mapOf(
            "suspend" to ::SuspendFace,
        )
    }
}

/** `retrier { }` in a coroutine. */
internal class SuspendFace(private val time: VirtualTime) : Face {
    private val scope = CoroutineScope(time)

    override fun play(call: Scenario.Call, retrier: Retrier) {
        scope.launch {
            try {
                retrier(call.options) { attempt ->
                    val outcome = call.outcomeOf(attempt.number)
                    time.await(outcome.takesNanos)
                    outcome.give(time.nanoTime())
                }
            } catch (_: Throwable) {
                // How calls end is for listeners to tell.
            }
        }
        time.runToEnd()
    }
}

/** Ends an attempt at [now]: answers a response, or throws. */
internal fun Scenario.Outcome.give(now: Long): Any = when (this) {
    is Scenario.Response -> received(now)
    is Scenario.Failure -> throw failure
}
