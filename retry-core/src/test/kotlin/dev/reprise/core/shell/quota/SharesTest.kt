package dev.reprise.core.shell.quota

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.triple
import io.kotest.property.checkAll

class SharesTest :
    FunSpec({
        test("an operation spends up to its limit, and what it gives back it may spend again") {
            val steps = Arb.list(Arb.triple(Arb.int(0..3), Arb.int(-30..30), Arb.int(10..40)), 0..100)
            checkAll(steps) { uses ->
                val shares = Shares(4)
                val spent = HashMap<String, Int>()
                for ((number, tokens, limit) in uses) {
                    val operation = "op$number"
                    val before = spent[operation] ?: 0
                    if (tokens >= 0) {
                        val fits = tokens == 0 || before + tokens <= limit
                        shares.trySpend(operation, tokens, limit) shouldBe fits
                        if (fits) spent[operation] = before + tokens
                    } else {
                        shares.giveBack(operation, -tokens)
                        spent[operation] = (before + tokens).coerceAtLeast(0)
                    }
                    shares.spent(operation) shouldBe (spent[operation] ?: 0)
                }
            }
        }

        test("at most so many operations are remembered, and the least recently failed is forgotten") {
            val shares = Shares(2)
            for (operation in listOf("a", "b", "a", "c")) shares.trySpend(operation, 10, 40)
            shares.size shouldBe 2
            listOf("a", "b", "c").map(shares::spent) shouldBe listOf(20, 0, 10)
        }

        test("an operation that owes nothing is not remembered") {
            val shares = Shares(2)
            shares.trySpend("a", 10, 40)
            shares.isNone shouldBe false
            shares.giveBack("a", 10)
            shares.isNone shouldBe true
        }

        test("threads that spend and give back leave nothing, and hardly more than the bound") {
            val shares = Shares(3)
            inThreads(4) { number ->
                repeat(20_000) {
                    val operation = "op${(it + number) % 6}"
                    if (shares.trySpend(operation, 5, 100)) shares.giveBack(operation, 5)
                    shares.size shouldBeLessThanOrEqual 3 + 2 * 4
                }
            }
            shares.size shouldBe 0
            (0..5).map { shares.spent("op$it") } shouldBe List(6) { 0 }
        }
    })
