package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

class PurseTest :
    FunSpec({
        test("whatever comes between, retries that are made cost no more than leases brought") {
            checkAll(Arb.list(Arb.int(0, 99), 1..300)) { steps ->
                val purse = Purse()
                val promised = ArrayDeque<Int>()
                var leased = 0
                var spent = 0
                for (step in steps) {
                    val cost = 1 + step % 14
                    when (step % 5) {
                        0, 1 -> {
                            purse.promise(cost)
                            promised += cost
                        }

                        2 -> {
                            purse.add(cost * 2)
                            leased += cost * 2
                        }

                        3 -> promised.removeFirstOrNull()?.let {
                            if (purse.covers()) spent += it else purse.takeBack(it)
                        }

                        else -> leased -= purse.surplus(step)
                    }
                    spent shouldBeLessThanOrEqual leased
                    purse.balance shouldBe leased - spent - promised.sum()
                }
            }
        }

        test("what is promised is never given away") {
            val purse = Purse()
            purse.add(20)
            purse.promise(14) shouldBe true
            purse.surplus(0) shouldBe 6
            purse.covers() shouldBe true
        }

        test("of two promises with tokens for one, one is kept") {
            val purse = Purse()
            purse.promise(14)
            purse.promise(14)
            purse.add(14)
            purse.covers() shouldBe false
            purse.takeBack(14)
            purse.covers() shouldBe true
        }
    })
