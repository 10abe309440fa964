package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.ScriptedCall
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.test.Recorder
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** Makes a call of its own at each event that it hears. */
private class Caller(private val call: () -> Unit) : RetryListener {
    var heard = 0

    override fun onEvent(event: RetryEvent) {
        check(++heard <= MOST) { "a listener that calls hears its own calls" }
        call()
    }

    companion object {
        const val MOST = 10
    }
}

private class Broken : RetryListener {
    override fun onEvent(event: RetryEvent): Unit = throw NotImplementedError("broken")
}

/** Law 8: listeners cannot burn a core for ever. */
class ListenerLawTest :
    FunSpec({
        fun events(face: Face, derived: (Retrier, Int) -> Retrier) {
            val time = VirtualTime()
            val beside = Recorder()
            var calls = 0
            lateinit var retrier: Retrier
            val inner = ScriptedCall(listOf(RESET, FINE))
            val caller = Caller {
                calls++
                face.end(inner.fresh(), derived(retrier, calls), time)
            }
            retrier = Retrier(RetryPolicy.STANDARD) {
                listener(caller)
                listener(beside)
                clock = time
                waiter = time.waiter
                draws = VirtualTime.LONGEST
            }
            face.end(ScriptedCall(listOf(FINE)), retrier, time)
            // Started, attempt, succeeded.
            caller.heard shouldBe 3
            calls shouldBe 3
            beside.call.assertEndedOnce()
        }

        onFaces("a call begun in a listener of its own retrier tells no listener", Face.EVERY) { face ->
            events(face) { retrier, _ -> retrier }
        }

        onFaces("nor does one of a retrier that shares the listener", Face.EVERY) { face ->
            events(face) { retrier, _ -> retrier.with(RetryPolicy { maxAttempts = 5 }) }
        }

        test("an error that a listener throws again and again is told once, and changes no call on any face") {
            val records = logged {
                for (face in Face.EVERY) {
                    val trial = Trial(RetryPolicy.STANDARD) { listener(Broken()) }
                    repeat(3) { trial.end(face, ScriptedCall(listOf(RESET, FINE))) }
                    trial.recorder.assertAllEndedOnce().calls.size shouldBe 3
                }
            }
            records.size shouldBe 1
        }
    })
