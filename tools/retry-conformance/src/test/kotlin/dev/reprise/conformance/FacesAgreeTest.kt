package dev.reprise.conformance

import dev.reprise.core.CallOptions
import dev.reprise.core.OnBadResult
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.Backoff
import dev.reprise.core.quota.QuotaSettings
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import kotlin.time.Duration.Companion.milliseconds

private fun steps(): Arb<Step> = arbitrary {
    val takes = Arb.element(0, 0, 1, 19, 20, 21, 5_000).bind() * MILLI
    val headers = Arb.element(emptyMap(), mapOf("x-amz-retry-after" to "70"), mapOf("x-amz-retry-after" to "?")).bind()
    when (Arb.int(0..7).bind()) {
        0 -> Step("fine", takes)

        1 -> Step(Response(200), takes)

        2 -> Step(Response(503, headers = headers), takes)

        3 -> Step(Response(400, "ThrottlingException", headers), takes)

        4 -> Step(Response(404), takes)

        5 -> Step(takesNanos = takes) { IOException("reset") }

        6 -> Step(takesNanos = takes) {
            val isInstant = takes == 0L
            if (isInstant) ConnectException("refused") else SocketTimeoutException("slow")
        }

        else -> Step(takesNanos = takes) { IllegalStateException("bug") }
    }
}

private fun policies(): Arb<RetryPolicy> = arbitrary {
    val attempts = Arb.int(1..6).bind()
    val limit = Arb.element(20, 100).orNull(0.5).bind()
    val end = Arb.element(1, 60, 300, 6_000).orNull(0.5).bind()
    val cost = Arb.int(0..30).bind()
    val waits = Arb.boolean().bind()
    val ending = Arb.enum<OnBadResult>().bind()
    RetryPolicy {
        maxAttempts = attempts
        attemptTimeout = limit?.let { minOf(it, end ?: it) }?.milliseconds
        deadline = end?.milliseconds
        if (!waits) backoff = Backoff.IMMEDIATE
        quota = QuotaSettings(capacity = 60, cost = cost).takeIf { cost > 0 }
        onBadResult = ending
    }
}

private fun scenarios(): Arb<Scenario> = arbitrary {
    val policy = policies().bind()
    val calls = Arb.list(
        arbitrary {
            val mayRepeat = Arb.enum<Repeat>().bind()
            val isLongPoll = Arb.boolean().bind()
            val end = Arb.element(1, 60, 300, 6_000).orNull(0.8).bind()
            val options = CallOptions("work").with {
                repeat = mayRepeat
                longPolling = isLongPoll
                deadline = end?.milliseconds
            }
            ScriptedCall(Arb.list(steps(), 1..6).bind(), options)
        },
        1..4,
    ).bind()
    // An attempt's timeout reaches a coroutine in whole ms, and what is left of a deadline is one: no fractions then.
    val isTimed = policy.isTimed || calls.any { it.options.deadline != null }
    val draws = if (isTimed) Arb.element(0.0, 0.5, 1.0) else Arb.double(0.0, 1.0)
    Scenario(
        "any",
        policy,
        calls,
        Arb.list(draws, 1..4).bind(),
        policy.quota?.let { Arb.long(0L..60L).bind().toInt() },
    )
}

class FacesAgreeTest :
    FunSpec({
        test(
            "every face, watched or not, ends the same way at the same time with the same quota; watched it tells the same events",
        ) {
            checkAll(500, scenarios()) { scenario ->
                val watched = SuspendFace.play(scenario)
                val expected = "$watched"
                for (face in Face.ALL - SuspendFace) {
                    withClue("$face in $scenario") {
                        "${face.play(scenario)}" shouldBe expected
                    }
                }
                for (face in Face.ALL) {
                    withClue("$face without a listener in $scenario") {
                        face.play(scenario, isWatched = false).endings.joinToString("\n") shouldBe
                            watched.endings.joinToString("\n")
                    }
                }
            }
        }
    })
