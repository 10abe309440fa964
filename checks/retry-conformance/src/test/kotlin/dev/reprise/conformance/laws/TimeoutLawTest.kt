package dev.reprise.conformance.laws

import dev.reprise.conformance.Face
import dev.reprise.conformance.FlowFace
import dev.reprise.conformance.MILLI
import dev.reprise.conformance.ScriptedCall
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.RetryPolicy
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.util.concurrent.Executor
import kotlin.time.Duration.Companion.milliseconds

private const val LIMIT = 50L

/** So long that no busy machine takes an attempt that was cut off for one that was not. */
private const val TAKES = 20_000L

/** Executors that run a task in the thread that submits it. */
private val SAME_THREAD = mapOf<String, Executor>(
    "Runnable::run" to Executor(Runnable::run),
    "one of the user's own" to object : Executor {
        override fun execute(command: Runnable) = command.run()
    },
)

private val SLOW = BlockingAttempt<String, Exception> {
    Thread.sleep(TAKES)
    "late"
}

/** Law 6: an attempt timeout ends an attempt, or the log says that it cannot. */
class TimeoutLawTest :
    FunSpec({
        val once = RetryPolicy {
            maxAttempts = 1
            attemptTimeout = LIMIT.milliseconds
        }

        onFaces("an attempt is over at its limit", Face.EVERY - FlowFace) { face ->
            val trial = Trial(once)
            val ended = trial.end(face, ScriptedCall(listOf(resetAfter(TAKES))))
            trial.time.nanoTime() shouldBe LIMIT * MILLI
            ended.thrown.shouldBeInstanceOf<AttemptTimeoutException>()
        }

        for ((name, executor) in SAME_THREAD) {
            test("so is one on the thread that submits it, or the log says that it is not: $name") {
                val retrier = JavaRetrier.of(once)
                var isInTime = true
                val records = logged {
                    repeat(2) {
                        val start = System.nanoTime()
                        val call = retrier.callAsyncWithAttempt(SLOW, executor)
                        val failure = runCatching { call.join() }.exceptionOrNull()?.cause
                        val taken = System.nanoTime() - start
                        isInTime = isInTime && failure is AttemptTimeoutException && taken < TAKES * MILLI
                    }
                }
                (isInTime || records.count { "timeout" in it.message } == 1) shouldBe true
            }
        }
    })
