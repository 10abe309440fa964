package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlin.random.Random

class ShareTest :
    FunSpec({
        test("clients with less than a retry each spend together what they have") {
            val random = Random(7)
            List(5_000) { Share.of(2.8, 14, random.nextDouble()).tokens }.sum() shouldBeInRange 13_000..15_000
        }

        test("the part of a retry is a whole one as often as it is large") {
            // 20 tokens are one retry of 14, and 3/7 of another.
            for ((draw, tokens) in listOf(0.0 to 28, 0.428 to 28, 0.429 to 14, 0.999 to 14)) {
                Share.of(20.0, 14, draw).tokens shouldBe tokens
            }
        }

        test("a share is whole retries, at most one from what it is a share of") {
            checkAll(Arb.int(-300, 3_000), Arb.int(1, 20), Arb.int(0, 999)) { thirds, unit, draw ->
                val share = Share.of(thirds / 3.0, unit, draw / 1_000.0)
                share.tokens % unit shouldBe 0
                (share.tokens in 0 until maxOf(thirds / 3, 0) + unit + 1) shouldBe true
                (share.full >= unit) shouldBe true
            }
        }

        test("a share ends some time after it was told, and not while the server is lost again") {
            val share = Share.of(28.0, 14, 0.5)
            share.isOver(Long.MAX_VALUE) shouldBe false
            share.told(100)
            share.told(200)
            share.isOver(99 + Share.SETTLING) shouldBe false
            share.isOver(100 + Share.SETTLING) shouldBe true
            share.goesOn()
            share.isOver(100 + Share.SETTLING) shouldBe false
        }
    })
