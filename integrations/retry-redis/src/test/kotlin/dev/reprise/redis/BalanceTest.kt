package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

class BalanceTest :
    FunSpec({
        test("whatever comes between, retries that are made cost no more than leases brought") {
            checkAll(Arb.list(Arb.int(0, 99), 1..300)) { steps ->
                val balance = Balance()
                val promised = ArrayDeque<Int>()
                var leased = 0
                var spent = 0
                for (step in steps) {
                    val cost = 1 + step % 14
                    when (step % 5) {
                        0, 1 -> {
                            balance.promise(cost)
                            promised += cost
                        }

                        2 -> {
                            balance.add(cost * 2)
                            leased += cost * 2
                        }

                        3 -> promised.removeFirstOrNull()?.let {
                            if (balance.covers()) spent += it else balance.add(it)
                        }

                        else -> leased -= balance.surplus(step)
                    }
                    spent shouldBeLessThanOrEqual leased
                    balance.tokens shouldBe leased - spent - promised.sum()
                }
            }
        }

        test("what is promised is never given away") {
            val balance = Balance()
            balance.add(20)
            balance.promise(14) shouldBe true
            balance.surplus(0) shouldBe 6
            balance.covers() shouldBe true
        }

        test("a share is filled up to its end, and never emptied") {
            checkAll(Arb.int(-50, 50), Arb.int(0, 50), Arb.int(1, 50)) { before, tokens, full ->
                val balance = Balance()
                balance.add(before)
                val room = maxOf(0, full - before)
                balance.fill(tokens, full) shouldBe minOf(tokens, room)
                balance.tokens shouldBe before + minOf(tokens, room)
            }
        }

        test("a promise of exactly what is there is covered, one of more is not") {
            val balance = Balance()
            balance.add(14)
            balance.promise(14) shouldBe true
            balance.promise(1) shouldBe false
        }

        test("of two promises with tokens for one, one is kept") {
            val balance = Balance()
            balance.promise(14)
            balance.promise(14)
            balance.surplus(kept = Int.MAX_VALUE) shouldBe 0
            balance.add(14)
            balance.covers() shouldBe false
            balance.add(14)
            balance.covers() shouldBe true
        }
    })
