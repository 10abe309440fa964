package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeSingleton
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration.Companion.seconds

/** An exception of another library that stands for a response. */
private class ThrownAnswer(val status: Int, val retryAfter: String?) : IOException("HTTP $status")

private object AnswerErrors : ResponseReader {
    override fun responseOf(failure: Throwable): HttpOutcome? = (failure as? ThrownAnswer)?.let { answered ->
        Reply(answered.status, headers = answered.retryAfter?.let { mapOf("retry-after" to it) }.orEmpty())
    }

    override val resultScope: ResultScope get() = ResultScope.NONE
}

class ForeignResponsesTest :
    FunSpec({
        val policy = RetryPolicy.HTTP.with { classifyFirst(AnswerErrors) }

        test("an exception that stands for a response is judged as the response is, status for status") {
            checkAll(Arb.int(100..599)) { status ->
                val asFailure = policy.classifier.classifyFailure(ThrownAnswer(status, null))
                val asResult = RetryPolicy.HTTP.classifier.classifyResult(
                    AnswerErrors.responseOf(ThrownAnswer(status, null)),
                )
                // A response without a verdict is still a failure: the transport table judges its exception.
                val expected = asResult ?: TransportErrors.classifyFailure(IOException())
                asFailure shouldBe expected
            }
        }

        test("its delay is followed, and one that cannot be read is told") {
            val told = Recorder()
            val shell = Shell(policy, listOf(told))
            val call = shell.begin()
            call.ends(ThrownAnswer(503, "7"))
            (call.delayNanos >= 7.seconds.inWholeNanoseconds) shouldBe true
            call.ends(ThrownAnswer(503, "soon"))
            told.events.filterIsInstance<RetryEvent.ServerDelayIgnored>().shouldBeSingleton()
        }

        test("any-exception does not retry what the response refuses") {
            val any = RetryPolicy.ANY_EXCEPTION.with { classifyFirst(AnswerErrors) }.classifier
            any.classifyFailure(ThrownAnswer(503, null)).shouldBeInstanceOf<Verdict.Retry>()
            any.classifyFailure(ThrownAnswer(404, null)) shouldBe Verdict.Reject
            any.classifyFailure(ThrownAnswer(401, null)) shouldBe Verdict.Reject
        }
    })
