package dev.reprise.core.hedge

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

class HedgeBudgetTest :
    FunSpec({
        test("copies are at most their share of the calls, whatever the order") {
            checkAll(Arb.double(0.001, 1.0, includeNaNs = false), Arb.list(Arb.boolean(), 0..2_000)) {
                    load,
                    steps,
                ->
                val budget = HedgeBudget(load)
                var calls = 0
                var copies = 0
                for (isCall in steps) {
                    if (isCall) {
                        calls++
                        budget.callBegins()
                    } else if (budget.tryTake()) {
                        copies++
                    }
                    copies.toDouble() shouldBeLessThanOrEqual calls * load + 1e-3
                }
            }
        }

        test("it saves ten copies and no more") {
            val budget = HedgeBudget(0.5)
            repeat(1_000) { budget.callBegins() }
            generateSequence { budget.tryTake().takeIf { it } }.count() shouldBe 10
        }

        test("a copy that was not sent goes back, up to the ten") {
            val budget = HedgeBudget(1.0)
            budget.callBegins()
            budget.tryTake() shouldBe true
            budget.giveBack()
            budget.copies shouldBe 1
            repeat(20) { budget.giveBack() }
            budget.copies shouldBe 10
        }
    })
