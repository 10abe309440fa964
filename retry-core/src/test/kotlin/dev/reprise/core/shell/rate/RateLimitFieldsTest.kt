package dev.reprise.core.shell.rate

import dev.reprise.core.HttpOutcome
import dev.reprise.core.Reply
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThanOrEqualTo
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.arbitrary.string
import io.kotest.property.checkAll

class RateLimitFieldsTest :
    FunSpec({
        test("the fields of the current draft are read") {
            read("RateLimit" to "\"default\";r=50;t=30") shouldBe RateHint.of(50, 30)
            read("RateLimit" to "default; r=50 ;\tt=30") shouldBe RateHint.of(50, 30)
        }

        test("of several policies the tightest counts") {
            read("RateLimit" to "\"burst\";r=50;t=10, \"day\";r=10;t=3600") shouldBe RateHint.of(10, 3600)
        }

        test("a limit without a reset takes the window of its policy") {
            read("RateLimit" to "\"a\";r=5", "RateLimit-Policy" to "\"b\";q=9;w=9, \"a\";q=100;w=60") shouldBe
                RateHint.of(5, 60)
            read("RateLimit" to "\"a\";r=5", "RateLimit-Policy" to "\"b\";q=9;w=9").shouldBeNull()
        }

        test("a partition key and parameters of other kinds change nothing") {
            read("RateLimit" to "\"a\";pk=:sdfjLJUOUH==:;qu=\"requests\";x;r=5;t=6") shouldBe RateHint.of(5, 6)
        }

        test("the fields of earlier drafts are read") {
            read("RateLimit" to "limit=100, remaining=50, reset=5") shouldBe RateHint.of(50, 5)
            read("RateLimit-Remaining" to "7", "RateLimit-Reset" to "8") shouldBe RateHint.of(7, 8)
        }

        test("the fields of GitHub and others are read: a reset is a wait or a date") {
            read("X-RateLimit-Remaining" to "7", "X-RateLimit-Reset" to "8") shouldBe RateHint.of(7, 8)
            val atServer = arrayOf("X-RateLimit-Remaining" to "7", "X-RateLimit-Reset" to "1700000060")
            read(*atServer, "Date" to "Tue, 14 Nov 2023 22:13:20 GMT") shouldBe RateHint.of(7, 60)
            read(*atServer, receivedAt = 1_700_000_050_000) shouldBe RateHint.of(7, 10)
            read(*atServer, receivedAt = 1_800_000_000_000) shouldBe RateHint.of(7, 0)
            read(*atServer).shouldBeNull()
        }

        test("what is not in the format is ignored") {
            val no = listOf("", ",", "\"a", "\"a\\", "a;", "a;r=", "a;r=5;t", "=5", "a;r=-5;t=3", "a;r=5.0;t=3", "a b")
            for (value in no) read("RateLimit" to value).shouldBeNull()
            read("X-RateLimit-Remaining" to "1e3", "X-RateLimit-Reset" to "8").shouldBeNull()
            read("X-RateLimit-Remaining" to "٣", "X-RateLimit-Reset" to "8").shouldBeNull()
            read("X-RateLimit-Remaining" to "1".repeat(16), "X-RateLimit-Reset" to "8").shouldBeNull()
            read("RateLimit" to "a;r=5;t=6" + " ".repeat(RateLimitFields.LONGEST)).shouldBeNull()
        }

        test("whatever a server sends, nothing throws and no number is negative") {
            val pieces = "a|\"|\\|;|r|=|t|5|,| |:|99999999999999999999|remaining|\u0000".split("|")
            val value = Arb.list(Arb.int(pieces.indices), 0..40).map { list -> list.joinToString("") { pieces[it] } }
            checkAll(value, value, Arb.string(0..8)) { first, second, third ->
                val hint = read(
                    "RateLimit" to first,
                    "RateLimit-Policy" to second,
                    "X-RateLimit-Remaining" to third,
                    "X-RateLimit-Reset" to "1",
                )
                (hint?.remaining ?: 0) shouldBeGreaterThanOrEqualTo 0
                (hint?.seconds ?: 0) shouldBeGreaterThanOrEqualTo 0
            }
        }

        test("a limit that is written is read back") {
            checkAll(Arb.long(0L..999_999_999_999_999), Arb.long(0L..86_400)) { remaining, seconds ->
                read("ratelimit" to "\"p\";r=$remaining;t=$seconds") shouldBe RateHint.of(remaining, seconds)
            }
        }
    })

private fun read(vararg fields: Pair<String, String>, receivedAt: Long = HttpOutcome.UNKNOWN_TIME): RateHint? =
    RateLimitFields.read(Reply(200, headers = fields.toMap(), receivedAtEpochMillis = receivedAt))
