package dev.reprise.core.classify

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.time.Instant

private class SignedAnswer(
    override val errorCode: String?,
    private val date: String? = "Tue, 14 Nov 2023 22:13:20 GMT",
    override val status: Int = 403,
) : HttpOutcome() {
    override fun header(name: String): String? = date.takeIf { name == "date" }
}

class ClockSkewTest :
    FunSpec({
        val server = Instant.parse("2023-11-14T22:13:20Z").toEpochMilli()

        fun skew(behindMillis: Long) = ClockSkew({ server - behindMillis })

        test("a definite code is retried and teaches the offset") {
            val skew = skew(600_000)

            skew.classifyResult(SignedAnswer("RequestTimeTooSkewed")).shouldBeInstanceOf<Verdict.Retry>()

            skew.offsetMillis shouldBe 600_000
            skew.now() shouldBe server
        }

        test("a possible code counts from four minutes on, in both directions") {
            for ((behind, counts) in listOf(
                239_999L to false,
                240_000L to true,
                -239_999L to false,
                -240_000L to true,
            )) {
                val skew = skew(behind)
                (skew.classifyResult(SignedAnswer("SignatureDoesNotMatch")) != null) shouldBe counts
                skew.offsetMillis shouldBe if (counts) behind else 0
            }
        }

        test(
            "without a readable Date a definite code is retried and teaches nothing, a possible one is left to others",
        ) {
            for (date in listOf(null, "yesterday")) {
                val skew = skew(600_000)
                skew.classifyResult(SignedAnswer("RequestExpired", date)).shouldBeInstanceOf<Verdict.Retry>()
                skew.classifyResult(SignedAnswer("AuthFailure", date)) shouldBe null
                skew.offsetMillis shouldBe 0
            }
        }

        test("other codes, good responses and exceptions without a response are left to others") {
            val skew = skew(600_000)
            skew.classifyResult(SignedAnswer("AccessDenied")) shouldBe null
            skew.classifyResult(SignedAnswer("RequestExpired", status = 200)) shouldBe null
            skew.classifyResult("RequestExpired") shouldBe null
            skew.classifyFailure(IllegalStateException()) shouldBe null
        }
    })
