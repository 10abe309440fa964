package dev.reprise.conformance.laws

import dev.reprise.build.logged
import dev.reprise.conformance.Ended
import dev.reprise.conformance.Face
import dev.reprise.conformance.MILLI
import dev.reprise.conformance.Response
import dev.reprise.conformance.ScriptedCall
import dev.reprise.conformance.Step
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierBuilder
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import java.io.IOException
import java.util.logging.LogRecord

/** A retrier in virtual time whose calls are recorded. */
class Trial(policy: RetryPolicy, settings: RetrierBuilder.(VirtualTime) -> Unit = {}) {
    val time = VirtualTime()
    val recorder = Recorder()
    val retrier = Retrier(policy) {
        listener(recorder)
        clock = time
        draws = VirtualTime.LONGEST
        waiter = time.waiter
        settings(time)
    }

    /** Makes [call] on [face] to its end. */
    fun end(face: Face, call: ScriptedCall): Ended = face.end(call, retrier, time).also { time.settle() }

    /** The names of the events of the only call. */
    val told: List<String?> get() = recorder.call.events.map { it::class.simpleName }
}

internal val RESET = Step(takesNanos = 0) { IOException("reset") }
internal val BUSY = Step(Response(503))
internal val FINE = Step(Response(200))

/** A failure that takes [millis] to come. */
internal fun resetAfter(millis: Long) = Step(takesNanos = millis * MILLI) { IOException("reset") }

/** The records that the library logs while [block] runs. */
internal fun logged(block: () -> Unit): List<LogRecord> = logged("dev.reprise", block)
