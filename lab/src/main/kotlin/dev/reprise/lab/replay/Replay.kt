package dev.reprise.lab.replay

import dev.reprise.coroutines.Retrier
import dev.reprise.presets.document.PolicyFormatException
import dev.reprise.test.VirtualTime
import kotlin.time.Duration.Companion.nanoseconds

/** Plays scenarios through a [face]. */
internal class Replay(private val face: Face = SUSPEND) {
    /** A line for each outcome of [scenario]. Throws a [PolicyFormatException] if a call needs more outcomes than it has. */
    fun play(scenario: Scenario): List<String> {
        val time = VirtualTime(scenario.startAt)
        val recorder = Recorder(scenario.name, scenario.policy, onLimit = { time.expectTimeout(it.nanoseconds) })
        val retrier = Retrier.builder(scenario.policy)
            .listener(recorder).clock(time).draws(scenario.draws()).waiter(face.waiter(time))
            .apply { scenario.quota?.let(::quota) }
            .build()
        recorder.retrier = retrier
        for (call in scenario.calls) {
            call.at?.let { time.advance((it - time.nanoTime()).nanoseconds) }
            face.play(time, call, retrier)
            time.settle()
            call.shortage?.let { throw it }
            check(recorder.hasEnded) { "${call.path} did not end" }
        }
        return recorder.lines
    }
}
