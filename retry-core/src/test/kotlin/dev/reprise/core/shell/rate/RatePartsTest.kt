package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.ServerHints
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.word
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

/** The small parts of a send rate: its clock, and the lists in which servers announce limits. */
class RatePartsTest :
    FunSpec({
        val minute = 60 * SECOND

        test("time begins in the clock's own second, and no reading takes it back") {
            checkAll(Arb.long(-1L shl 62, 1L shl 62), Arb.long(0, 10 * minute)) { now, passed ->
                val ticks = Ticks.startingAt(now)
                val start = ticks.at(now, Long.MIN_VALUE)
                start shouldBe Math.floorMod(now, SECOND)
                ticks.at(now + passed, start) shouldBe start + passed
                ticks.at(now - passed, start) shouldBe start
                ticks.isSetBack(now + passed, start) shouldBe false
                ticks.isSetBack(now - minute, start) shouldBe false
                ticks.isSetBack(now - minute - 1, start) shouldBe true
                val gone = Ticks.goingOnFrom(newest = passed, now = now)
                gone.at(now, passed) shouldBe passed
                gone.at(now + 1, passed) shouldBe passed + 1
            }
        }

        fun items(text: String) = RateLimitItems.parse(text)?.map { Triple(it.name, it.value, it["r"]) }

        test("lists have tokens, strings and byte sequences, with values or parameters and blanks between them") {
            items("a") shouldBe listOf(Triple("a", null, null))
            items("  a=1\t,  b ; r=2 ;t=x ") shouldBe listOf(Triple("a", 1L, null), Triple("b", null, 2L))
            items("\"x \\\"y\\\\ z\";r=5;r=6") shouldBe listOf(Triple("x \"y\\ z", null, 5L))
            items(":AZaz09+/=:;r=7") shouldBe listOf(Triple("AZaz09+/=", null, 7L))
            items("\"\";r") shouldBe listOf(Triple("", null, null))
            for (c in ' '..'~') {
                val isToken = c.isLetterOrDigit() || c in "-_.*!#$%&'+^`|~?/"
                withClue("'$c'") { (items("a${c}b") == listOf(Triple("a${c}b", null, null))) shouldBe isToken }
            }
        }

        test("what is no such list is none") {
            val broken =
                listOf("", " ", "a,", ",a", "a b", "\"open", "\"x\\", ":open", "a=", "a;", "a;r=", "a;;r=1", "=1")
            for (text in broken) withClue("'$text'") { RateLimitItems.parse(text).shouldBeNull() }
        }

        test("a number is one to fifteen digits") {
            RateLimitItems.digits("0") shouldBe 0
            RateLimitItems.digits("999999999999999") shouldBe 999_999_999_999_999
            for (text in listOf("", "1000000000000000", "-1", "1/", "1:", "١")) {
                RateLimitItems.digits(text).shouldBeNull()
            }
        }

        test("a growth rule has its word and its values, and only the steady one reads what servers announce") {
            GrowthRule.entries.map { listOf(it.word, it.beta, it.scale, it.minFillRate) } shouldBe
                listOf(listOf("cubic", 0.7, 0.4, 0.5), listOf("steady", 0.9, 0.012, 0.1))
            ServerHints.entries.map { it.word } shouldBe listOf("off", "cap", "follow")
            SendRateSettings.EXACT.readsHints shouldBe false
            for (hints in ServerHints.entries) {
                SendRateSettings.STEADY.with { this.hints = hints }.readsHints shouldBe (hints != ServerHints.OFF)
            }
        }
    })
