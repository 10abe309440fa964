package dev.reprise.conformance

import dev.reprise.build.rounds
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.OnBadResult
import dev.reprise.core.QuotaCharge
import dev.reprise.core.Repeat
import dev.reprise.core.RetryPolicy
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.values.isTimed
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.filter
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.orNull
import io.kotest.property.checkAll
import java.io.IOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private const val DATE = "Sun, 06 Nov 1994 08:49:37 GMT"

internal fun responses(takes: Long): Arb<Step> = arbitrary {
    val headers = Arb.element(
        emptyMap(),
        mapOf("x-amz-retry-after" to "70"),
        mapOf("x-amz-retry-after" to "?"),
        mapOf("x-amz-retry-after" to "?", "retry-after" to "2"),
        mapOf("retry-after" to "2"),
        mapOf("date" to DATE, "retry-after" to "Sun, 06 Nov 1994 08:49:40 GMT"),
        mapOf("date" to DATE, "retry-after" to "Sunday, 06-Nov-94 08:51:00 GMT"),
        mapOf("date" to DATE, "retry-after" to DATE),
    ).bind()
    when (Arb.int(0..6).bind()) {
        0 -> Step(Response(200), takes)
        1, 2 -> Step(Response(503, headers = headers), takes)
        3 -> Step(Response(400, "ThrottlingException", headers), takes)
        4 -> Step(Response(404), takes)
        5 -> Step(takesNanos = takes) { IOException("reset") }
        else -> Step(takesNanos = takes) { if (takes == 0L) ConnectException("no") else SocketTimeoutException("slow") }
    }
}

internal fun steps(isHttp: Boolean): Arb<Step> = arbitrary {
    val takes = Arb.element(0, 0, 1, 19, 20, 21, 5_000).bind() * MILLI
    when (if (isHttp) 2 else Arb.int(0..9).bind()) {
        0 -> Step("fine", takes)
        1 -> Step(takesNanos = takes) { IllegalStateException("bug") }
        else -> responses(takes).bind()
    }
}

internal fun policies(): Arb<RetryPolicy> = arbitrary {
    // More than the 20 requests that Ktor allows one call by default.
    val attempts = Arb.element(1, 2, 3, 4, 5, 6, 25).bind()
    val limit = Arb.element(20, 100).orNull(0.5).bind()
    val end = Arb.element(1, 60, 300, 6_000).orNull(0.5).bind()
    val cost = Arb.int(0..30).bind()
    val ofThrottles = Arb.element(0, 5).bind()
    val charges = Arb.enum<QuotaCharge>().bind()
    val waits = Arb.boolean().bind()
    val longest = Arb.element(1, 60).orNull(0.3).bind()
    val ending = Arb.enum<OnBadResult>().bind()
    RetryPolicy {
        maxAttempts = attempts
        attemptTimeout = limit?.let { minOf(it, end ?: it) }?.milliseconds
        deadline = end?.milliseconds
        if (!waits) backoff = Backoff.IMMEDIATE
        if (longest != null) honourRetryAfter(longest.seconds)
        quota = TokenBucketSettings {
            capacity(60)
            cost(cost)
            throttlingCost(ofThrottles)
            charge(charges)
        }.takeIf { cost > 0 }
        onBadResult = ending
    }
}

internal fun scenarios(isHttp: Boolean): Arb<Scenario> = scenarios(steps(isHttp))

internal fun scenarios(steps: Arb<Step>): Arb<Scenario> = arbitrary {
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
            ScriptedCall(Arb.list(steps, 1..6).bind(), options)
        },
        1..4,
    ).bind()
    // An attempt's timeout reaches a coroutine in whole ms, and what is left of a deadline is one: no fractions then.
    val isTimed = policy.isTimed || calls.any { it.options.deadline != null }
    val draws = if (isTimed) Arb.element(0.0, 0.5, 1.0) else Arb.double(0.0, 1.0)
    Scenario("any", policy, calls, Arb.list(draws, 1..4).bind(), policy.quota?.let { Arb.long(0L..60L).bind().toInt() })
}

/** Plays [scenario] on [faces], each with a listener and without, and compares what [seen] sees, and how it ended. */
private fun agree(scenario: Scenario, faces: List<Face>, seen: (Trace) -> String, ended: (Trace) -> String) {
    val watched = SuspendFace.play(scenario)
    for (face in faces) {
        withClue("$face in $scenario") { seen(face.play(scenario)) shouldBe seen(watched) }
        withClue("$face without a listener in $scenario") {
            ended(face.play(scenario, isWatched = false)) shouldBe ended(watched)
        }
    }
}

/** Watched or not, a call ends the same way at the same time with the same quota; watched it tells the same events. */
class FacesAgreeTest :
    FunSpec({
        test("faces of any value agree on any scenario, and so do their outcomes") {
            checkAll(rounds(few = 150, many = 500), scenarios(isHttp = false)) {
                agree(it, Face.PLAIN, Trace::withOutcomes, Trace::outcomes)
            }
        }

        test("all faces agree on any scenario of responses") {
            checkAll(rounds(few = 100, many = 300), scenarios(isHttp = true)) { scenario ->
                agree(scenario, Face.ALL, Trace::toString) { it.endings.joinToString("\n") }
            }
        }

        test("gRPC agrees on any scenario of failures") {
            val steps = steps(isHttp = false).filter { it.result !is Response }
            checkAll(rounds(few = 100, many = 300), scenarios(steps)) { scenario ->
                agree(scenario, listOf(GrpcFace), Trace::toString) { it.endings.joinToString("\n") }
            }
        }

        test("on every face the deadline of a source bounds a call as the same deadline of its policy does") {
            checkAll(40, scenarios(isHttp = true), Arb.element(1, 60, 300, 6_000)) { any, millis ->
                fun within(limit: Duration?) =
                    Scenario("any", any.policy.with { deadline = limit }, any.calls, any.draws, any.quota)
                for (face in Face.ALL) {
                    withClue("$face, $millis ms, in $any") {
                        face.play(within(null), left = millis.milliseconds).toString() shouldBe
                            face.play(within(millis.milliseconds)).toString()
                    }
                }
            }
        }

        test("what a refused long poll waits is no time of its attempt's: the response is there afterwards") {
            val policy = RetryPolicy { attemptTimeout = 20.milliseconds }
            val busy = Step(Response(503, headers = mapOf("x-amz-retry-after" to "70")), takesNanos = MILLI)
            val poll = ScriptedCall(listOf(busy), CallOptions("poll").with { longPolling = true })
            for (face in Face.ALL) {
                face.play(Scenario("poll", policy, listOf(poll), draws = listOf(0.0), quota = 0)).endings shouldBe
                    listOf("HTTP 503  after 1 attempts at 71000000, quota 0, 0 timers")
            }
        }
    })
