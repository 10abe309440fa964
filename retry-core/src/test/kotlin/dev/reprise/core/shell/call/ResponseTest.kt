package dev.reprise.core.shell.call

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpFailure
import dev.reprise.core.HttpOutcome
import dev.reprise.core.Reply
import dev.reprise.core.ResponseReader
import dev.reprise.core.ResultScope
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerDelayBound
import dev.reprise.core.ServerDelayHeader
import dev.reprise.core.ServerDelayRule
import dev.reprise.core.ServerHints
import dev.reprise.core.Verdict
import dev.reprise.core.repeated
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration.Companion.seconds

private fun throttled(remaining: Int, reset: Int) = Reply(
    429,
    headers = mapOf("retry-after" to "3", "x-ratelimit-remaining" to "$remaining", "x-ratelimit-reset" to "$reset"),
)

private class Carrying(override val http: HttpOutcome) :
    IOException(),
    HttpFailure

private class Foreign(val response: HttpOutcome) : IOException()

/** The ways on which a shell hands over the response that an attempt ended with. */
private enum class Way(val report: (RetryCall, HttpOutcome) -> RetryCall?) {
    RESULT({ call, response -> call.completed(response)?.repeated() }),
    FAILURE({ call, response -> call.failed(Carrying(response), Thrown.FAILURE).repeated() }),
    CLASSIFIER({ call, response -> call.failed(Foreign(response), Thrown.FAILURE).repeated() }),
    VERDICT({ call, response ->
        call.failed(IOException(), Thrown.FAILURE, verdict = Verdict.THROTTLING.on(response)).repeated()
    }),
}

private object ThrottledByAnyone : ResponseReader {
    override fun classifyFailure(failure: Throwable) = Verdict.THROTTLING

    override fun classifyResult(result: Any?) = Verdict.THROTTLING

    override fun responseOf(failure: Throwable) = (failure as? Foreign)?.response

    override val resultScope get() = ResultScope.HTTP
}

class ResponseTest :
    FunSpec({
        val policy = RetryPolicy {
            classifier = ThrottledByAnyone
            serverDelays =
                listOf(ServerDelayRule.of(ServerDelayHeader.RETRY_AFTER, ServerDelayBound.atMost(60.seconds)))
            sendRate = SendRateSettings.STEADY.with { hints = ServerHints.CAP }
        }

        test("a response tells the wait and the send rate the same, whichever way it came") {
            checkAll(100, Arb.int(0..50), Arb.int(1..30)) { remaining, reset ->
                val seen = Way.entries.map { way ->
                    val rate = SendRate(policy.sendRate!!, 0)
                    val call = CallSetup(policy, null, rate, emptyList(), { SECOND }, { 0.5 })
                        .begin(CallOptions.DEFAULT, ResultKind.VALUE)
                    call.permitted(0)
                    call.attemptStarts()
                    val next = way.report(call, throttled(remaining, reset))!!
                    if (remaining == 0) rate.waitNanos(SECOND, 0) shouldBe reset * SECOND
                    Triple(next.delayNanos, rate.waitNanos(SECOND, 0), rate.state.toString())
                }
                seen.toSet().size shouldBe 1
                seen.first().first shouldBeGreaterThan 2 * SECOND
            }
        }
    })
