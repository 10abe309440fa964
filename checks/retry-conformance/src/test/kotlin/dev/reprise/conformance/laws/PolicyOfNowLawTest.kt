package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.ScriptedCall
import dev.reprise.core.RetryEvent.CallCancelled
import dev.reprise.core.RetryEvent.CallStarted
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

/** A stream that gives a value each 10 ms, and breaks after [values] of them. */
private fun stream(values: Int, onBegin: (Int) -> Unit = {}) = run {
    var collections = 0
    flow {
        onBegin(++collections)
        repeat(values) {
            delay(10)
            emit(it)
        }
        throw IOException("broken")
    }
}

/** Law 7: what begins now has the policy of now, and what starts over tells one end for each call. */
class PolicyOfNowLawTest :
    FunSpec({
        onFaces("a call that begins after an update has the new policy", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD)
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.retrier.update(RetryPolicy { maxAttempts = 2 })
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.retrier.update(RetryPolicy.NONE)
            trial.end(face, ScriptedCall(listOf(RESET)))
            trial.recorder.calls.map { it.attempts } shouldContainExactly listOf(3, 2, 1)
        }

        onFaces("a call that has begun keeps its policy", Face.EVERY) { face ->
            val trial = Trial(RetryPolicy.STANDARD)
            trial.time.after(1.milliseconds) { trial.retrier.update(RetryPolicy.NONE) }
            trial.end(face, ScriptedCall(listOf(resetAfter(2))))
            trial.recorder.call.attempts shouldBe 3
        }

        test("a flow that starts over begins a call under the policy of now") {
            val trial = Trial(RetryPolicy.STANDARD)
            var begun = 0
            val broken = stream(3) {
                begun = it
                if (it == 3) trial.retrier.update(RetryPolicy.NONE)
                if (it > 9) throw CancellationException("that is enough")
            }
            val end = runCatching {
                trial.time.run { broken.retry(trial.retrier, startOverAfter = 20.milliseconds).collect() }
            }
            (end.exceptionOrNull() is IOException) shouldBe true
            begun shouldBe 3
        }

        test("each call of a flow that starts over tells one end") {
            val trial = Trial(RetryPolicy.STANDARD)
            val broken = stream(3) { if (it == 4) throw IllegalStateException("bug") }
            runCatching { trial.time.run { broken.retry(trial.retrier, startOverAfter = 20.milliseconds).collect() } }
            trial.recorder.assertAllEndedOnce().calls.map { it.reason } shouldContainExactly
                listOf(StopReason.SUCCESS, StopReason.SUCCESS, StopReason.SUCCESS, StopReason.REJECTED)
        }

        fun isOneCancelledCall(trial: Trial) {
            val events = trial.recorder.assertAllEndedOnce().events
            events.count { it is CallStarted } shouldBe 1
            (events.last() is CallCancelled) shouldBe true
        }

        test("a downstream that has had enough after a while is one call, cancelled") {
            val trial = Trial(RetryPolicy.STANDARD)
            trial.time.run { stream(9).retry(trial.retrier, startOverAfter = 15.milliseconds).take(2).toList() }
            isOneCancelledCall(trial)
        }

        test("a downstream that fails after a while is one call, cancelled") {
            val trial = Trial(RetryPolicy.STANDARD)
            val failing = stream(9).retry(trial.retrier, startOverAfter = 15.milliseconds)
                .onEach { if (it == 1) throw IOException("downstream") }
            runCatching { trial.time.run { failing.collect() } }
            isOneCancelledCall(trial)
        }

        test("a collector that is cancelled after a while is one call, cancelled") {
            val trial = Trial(RetryPolicy.STANDARD)
            val cancelled = stream(9).retry(trial.retrier, startOverAfter = 15.milliseconds)
                .onEach { if (it == 1) throw CancellationException("gone") }
            runCatching { trial.time.run { cancelled.collect() } }
            isOneCancelledCall(trial)
        }

        test("a downstream that has had enough at once is one call, cancelled") {
            val trial = Trial(RetryPolicy.STANDARD)
            trial.time.run { stream(9).retry(trial.retrier).take(2).toList() }
            isOneCancelledCall(trial)
        }
    })
