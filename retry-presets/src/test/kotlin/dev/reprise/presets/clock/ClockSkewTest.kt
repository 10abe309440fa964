package dev.reprise.presets.clock

import dev.reprise.core.CallOptions
import dev.reprise.core.HttpOutcome
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.CallSetup
import dev.reprise.core.shell.call.ResultKind
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.time.Clock
import java.time.Instant
import java.time.ZoneId
import java.time.ZoneOffset
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import java.time.Duration as JavaDuration

private const val SERVER_DATE = "Tue, 14 Nov 2023 22:13:20 GMT"
private val SERVER = Instant.parse("2023-11-14T22:13:20Z").toEpochMilli()

private class SignedAnswer(
    override val errorCode: String?,
    private val date: String? = SERVER_DATE,
    override val status: Int = 403,
    override val receivedAtEpochMillis: Long = UNKNOWN_TIME,
) : HttpOutcome() {
    override fun header(name: String): String? = date.takeIf { name == "date" }
}

class ClockSkewTest :
    FunSpec({
        val skew = ClockSkew.STANDARD

        /** A clock of ours that is [behind] the server's, and has heard of a call that failed so and then succeeded. */
        fun clockAfter(answer: SignedAnswer, behind: Duration, policy: RetryPolicy): ServerClock {
            val ours = Clock.fixed(Instant.ofEpochMilli(SERVER - behind.inWholeMilliseconds), ZoneOffset.UTC)
            val clock = ServerClock(skew, ours)
            val call = CallSetup(policy, null, null, listOf(clock), { 0 }, { 1.0 })
                .begin(CallOptions.DEFAULT, ResultKind.VALUE)
            call.attemptStarts()
            call.completed(answer)
            return clock
        }

        val signing = RetryPolicy { classifyFirst(skew) }

        test("a definite code is retried and teaches the offset") {
            skew.classifyResult(SignedAnswer("RequestTimeTooSkewed")).shouldBeInstanceOf<Verdict.Retry>()

            val clock = clockAfter(SignedAnswer("RequestTimeTooSkewed"), behind = 10.minutes, signing)
            clock.offset shouldBe 10.minutes
            clock.millis() shouldBe SERVER
            clock.withZone(ZoneId.of("Asia/Tokyo")).instant() shouldBe clock.instant()
        }

        test("a possible code counts from four minutes on, in both directions") {
            for ((behind, counts) in listOf(
                239_999L to false,
                240_000L to true,
                -239_999L to false,
                -240_000L to true,
            )) {
                val answer = SignedAnswer("SignatureDoesNotMatch", receivedAtEpochMillis = SERVER - behind)
                (skew.classifyResult(answer) != null) shouldBe counts
                val heard = clockAfter(answer, behind.milliseconds, signing)
                heard.offset shouldBe if (counts) behind.milliseconds else Duration.ZERO
            }
        }

        test("a possible code counts from the threshold on, of a failure alone") {
            val close = ClockSkew.builder().threshold(JavaDuration.ofSeconds(2)).build()

            fun counts(received: Long, status: Int = 403) = close.classifyResult(
                SignedAnswer("AuthFailure", status = status, receivedAtEpochMillis = received),
            ) != null

            listOf(-2_000L, -1_999L, 0L, 1_999L, 2_000L).map { counts(SERVER + it) } shouldBe
                listOf(true, false, false, false, true)
            counts(SERVER + 9_000, status = 399) shouldBe false
            counts(SERVER + 9_000, status = 400) shouldBe true
            ClockSkew.builder().threshold(JavaDuration.ZERO).build().thresholdNanos shouldBe 0
            "${ClockSkew { threshold = 4.minutes }}" shouldBe "clock skew of 4m"
        }

        test("a possible code of an outcome that does not say when it was received is left to others") {
            skew.classifyResult(SignedAnswer("SignatureDoesNotMatch")) shouldBe null
        }

        // A policy, which is a value, once learned the skew of the clients that had it.
        test("two clients with equal policies learn apart") {
            val one = clockAfter(SignedAnswer("RequestExpired"), behind = 10.minutes, signing)
            val other = ServerClock(skew, Clock.fixed(Instant.ofEpochMilli(SERVER), ZoneOffset.UTC))
            one.offset shouldBe 10.minutes
            other.offset shouldBe Duration.ZERO
            RetryPolicy { classifyFirst(ClockSkew { }) } shouldBe signing
        }

        test("a clock does not learn from what ends the call") {
            clockAfter(SignedAnswer("RequestExpired"), 10.minutes, RetryPolicy.NONE.with { rejectOn<Exception>() })
                .offset shouldBe Duration.ZERO
        }

        test(
            "without a readable Date a definite code is retried and teaches nothing, a possible one is left to others",
        ) {
            for (date in listOf(null, "yesterday")) {
                skew.classifyResult(SignedAnswer("RequestExpired", date)).shouldBeInstanceOf<Verdict.Retry>()
                skew.classifyResult(SignedAnswer("AuthFailure", date, receivedAtEpochMillis = 0)) shouldBe null
                clockAfter(SignedAnswer("RequestExpired", date), 10.minutes, signing).offset shouldBe Duration.ZERO
            }
        }

        test("other codes, good responses and exceptions without a response are left to others") {
            skew.classifyResult(SignedAnswer("AccessDenied")) shouldBe null
            skew.classifyResult(SignedAnswer("RequestExpired", status = 200)) shouldBe null
            skew.classifyResult("RequestExpired") shouldBe null
            skew.classifyFailure(IllegalStateException()) shouldBe null
        }
    })
