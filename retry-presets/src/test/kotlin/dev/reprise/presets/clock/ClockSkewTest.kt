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
    private val age: String? = null,
) : HttpOutcome() {
    override fun header(name: String): String? = when (name) {
        "date" -> date
        "age" -> age
        else -> null
    }
}

class ClockSkewTest :
    FunSpec({
        val skew = ClockSkew.STANDARD

        /** A clock of ours that is [behind] the server's, and has heard of a call that failed so and then succeeded. */
        fun clockAfter(answer: SignedAnswer, behind: Duration, policy: RetryPolicy): ServerClock {
            val ours = Clock.fixed(Instant.ofEpochMilli(SERVER - behind.inWholeMilliseconds), ZoneOffset.UTC)
            val clock = ServerClock(ours)
            val call = CallSetup(policy, null, null, listOf(clock), { 0 }, { 1.0 })
                .begin(CallOptions.DEFAULT, ResultKind.VALUE)
            call.attemptStarts()
            call.completed(answer)
            return clock
        }

        val signing = RetryPolicy { classifyFirst(skew) }

        test("a definite code is retried whatever the Date says") {
            val old = ClockSkew { definiteCodes = ClockSkew.DEFINITE_CODES }
            for (date in listOf(SERVER_DATE, "yesterday", null)) {
                old.classifyResult(SignedAnswer("RequestExpired", date)).shouldBeInstanceOf<Verdict.Retry>()
                skew.classifyResult(SignedAnswer("RequestExpired", date)) shouldBe null
            }
        }

        test("a code counts beyond four minutes, in both directions; every response teaches the offset") {
            for ((behind, counts) in listOf(
                240_000L to false,
                240_001L to true,
                -240_000L to false,
                -240_001L to true,
            )) {
                val answer = SignedAnswer("SignatureDoesNotMatch", receivedAtEpochMillis = SERVER - behind)
                (skew.classifyResult(answer) != null) shouldBe counts
                val heard = clockAfter(answer, behind.milliseconds, signing)
                heard.offset shouldBe behind.milliseconds
                heard.millis() shouldBe SERVER
                heard.withZone(ZoneId.of("Asia/Tokyo")).instant() shouldBe heard.instant()
            }
        }

        test("a possible code counts beyond the threshold, of a failure alone") {
            val close = ClockSkew.builder().threshold(JavaDuration.ofSeconds(2)).build()

            fun counts(received: Long, status: Int = 403) = close.classifyResult(
                SignedAnswer("AuthFailure", status = status, receivedAtEpochMillis = received),
            ) != null

            listOf(-2_001L, -2_000L, 0L, 2_000L, 2_001L).map { counts(SERVER + it) } shouldBe
                listOf(true, false, false, false, true)
            counts(SERVER + 9_000, status = 399) shouldBe false
            counts(SERVER + 9_000, status = 400) shouldBe true
            ClockSkew.builder().threshold(JavaDuration.ZERO).build().thresholdNanos shouldBe 0
            "${ClockSkew { threshold(4.minutes) }}" shouldBe "clock skew of 4m"
        }

        test("a possible code of an outcome that does not say when it was received is left to others") {
            skew.classifyResult(SignedAnswer("SignatureDoesNotMatch")) shouldBe null
        }

        // A policy, which is a value, once learned the skew of the clients that had it.
        test("two clients with equal policies learn apart") {
            val one = clockAfter(SignedAnswer("RequestExpired"), behind = 10.minutes, signing)
            val other = ServerClock(Clock.fixed(Instant.ofEpochMilli(SERVER), ZoneOffset.UTC))
            one.offset shouldBe 10.minutes
            other.offset shouldBe Duration.ZERO
            RetryPolicy { classifyFirst(ClockSkew { }) } shouldBe signing
        }

        test("a clock learns from what ends the call too, and from a good response") {
            val none = RetryPolicy.NONE
            clockAfter(SignedAnswer("RequestExpired"), 10.minutes, none).offset shouldBe 10.minutes
            clockAfter(SignedAnswer(null, status = 200), 10.minutes, none).offset shouldBe 10.minutes
            clockAfter(SignedAnswer(null, status = 200, age = "0"), 10.minutes, none).offset shouldBe Duration.ZERO
        }

        // The Date of an answer out of a cache is that of another answer.
        test("without a readable Date, and from a cache, a code is left to others and teaches nothing") {
            for ((date, age) in listOf(null to null, "yesterday" to null, SERVER_DATE to "17280", SERVER_DATE to "")) {
                for (code in ClockSkew.POSSIBLE_CODES) {
                    val answer = SignedAnswer(code, date, receivedAtEpochMillis = 0, age = age)
                    skew.classifyResult(answer) shouldBe null
                    clockAfter(answer, 10.minutes, signing).offset shouldBe Duration.ZERO
                }
            }
        }

        test("the clock holds nothing of a call that has ended") {
            val clock = ServerClock(Clock.systemUTC())
            val setup = CallSetup(signing, null, null, listOf(clock), { 0 }, { 1.0 })
            val call = setup.begin(CallOptions.DEFAULT, ResultKind.VALUE)
            call.attemptStarts()
            call.broke(java.util.concurrent.CancellationException())
            val learned = ServerClock::class.java.getDeclaredField("learned").apply { isAccessible = true }.get(clock)
            val sentAt = learned.javaClass.getDeclaredField("sentAt").apply { isAccessible = true }.get(learned)
            (sentAt as Map<*, *>).size shouldBe 0
        }

        test("other codes, good responses and exceptions without a response are left to others") {
            skew.classifyResult(SignedAnswer("AccessDenied")) shouldBe null
            skew.classifyResult(SignedAnswer("RequestExpired", status = 200)) shouldBe null
            skew.classifyResult("RequestExpired") shouldBe null
            skew.classifyFailure(IllegalStateException()) shouldBe null
        }
    })
