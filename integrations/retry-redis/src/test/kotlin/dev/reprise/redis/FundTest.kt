package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlin.random.Random

class FundTest :
    FunSpec({
        test("clients with less than a retry each spend together what they have") {
            val random = Random(7)
            val spent = List(5_000) { Fund(2.8, random.nextDouble()) }.sumOf { fund ->
                generateSequence { fund.tryTake(14) }.takeWhile { it }.count() * 14
            }
            spent shouldBeInRange 13_000..15_000
        }

        test("a fund spends no more than its share, rounded up to a retry, and what success gives back") {
            checkAll(Arb.int(0, 300), Arb.int(0, 999), Arb.int(0, 20)) { thirds, draw, refunds ->
                val share = thirds / 3.0
                val fund = Fund(share, draw / 1_000.0)
                var spent = 0
                while (fund.tryTake(14)) spent += 14
                (spent < share + 14) shouldBe true
                val left = fund.available
                repeat(refunds) { fund.add(1, 14) }
                // A fund is not filled above what it had.
                val filled = fund.available - left
                (filled <= minOf(refunds, spent)) shouldBe true
                while (fund.tryTake(14)) spent += 14
                (spent < share + 14 + refunds) shouldBe true
                fund.debt() shouldBe spent - filled
            }
        }
    })
