package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

/** The faces of the library by name. */
internal val FACES: Map<String, (VirtualTime) -> Face> = mapOf(
    "suspend" to ::SuspendFace,
    "blocking" to ::BlockingFace,
    "future" to ::FutureFace,
    "ktor" to ::KtorFace,
    "http" to ::HttpFace,
    "http-async" to ::HttpAsyncFace,
)

/** Plays scenarios through a face. */
internal class Replay(private val face: String) {
    /**
     * Plays [scenario] and returns a line for each outcome.
     *
     * @throws PolicyFormatException if a call needs more outcomes than it was given
     */
    fun play(scenario: Scenario): List<String> {
        val time = VirtualTime(scenario.startAt)
        val recorder = Recorder(scenario.name, scenario.policy, onLimit = { time.expectTimeout(it.nanoseconds) })
        val face = FACES.getValue(face)(time)
        val retrier = Retrier.builder(scenario.policy)
            .listener(recorder).clock(time).draws(scenario.draws()).waiter(face.waiter)
            .apply { scenario.quota?.let(::quota) }
            .build()
        recorder.retrier = retrier
        for (call in scenario.calls) {
            call.at?.let { time.advance((it - time.nanoTime()).nanoseconds) }
            face.play(call, retrier)
            time.settle()
            call.shortage?.let { throw it }
            check(recorder.hasEnded) { "${call.path} did not end" }
        }
        return recorder.lines
    }
}
