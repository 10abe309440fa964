package dev.reprise.core.shell.call

import dev.reprise.core.Hedge
import dev.reprise.core.HedgeRefusal
import dev.reprise.core.word
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.double
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.milliseconds

class HedgeBudgetTest :
    FunSpec({
        test("it saves fifteen copies and no more") {
            val budget = HedgeBudget(0.5)
            repeat(1_000) { budget.callBegins() }
            generateSequence { budget.tryTake().takeIf { it } }.count() shouldBe 15
        }

        test("a copy that was not sent goes back, up to the fifteen") {
            val budget = HedgeBudget(1.0)
            budget.callBegins()
            budget.tryTake() shouldBe true
            budget.giveBack()
            budget.copies shouldBe 1
            repeat(20) { budget.giveBack() }
            budget.copies shouldBe 15
        }

        /** How many of 2,000 calls a copy can be had for, one call in two, when so many of a hundred copies win. */
        fun copies(winsOfHundred: Int): Int {
            val budget = HedgeBudget(0.5)
            var sent = 0
            repeat(2_000) {
                budget.callBegins()
                if (it % 2 == 0 && budget.tryTake()) budget.copyEnded(won = sent++ * 37 % 100 < winsOfHundred)
            }
            return sent
        }

        test(
            "copies that win half the time keep the whole budget, those that lose end it but for a probe now and then",
        ) {
            copies(winsOfHundred = 100) shouldBeGreaterThan 990
            copies(winsOfHundred = 50) shouldBeGreaterThan 900
            copies(winsOfHundred = 5) shouldBeLessThan 150
            copies(winsOfHundred = 0) shouldBeLessThan 80
        }

        test("a budget that was lost comes back when copies win again") {
            val budget = HedgeBudget(1.0)
            repeat(100) { budget.copyEnded(won = false) }
            repeat(40) { budget.callBegins() }
            budget.copies shouldBe 0
            repeat(8) { budget.copyEnded(won = true) }
            repeat(40) { budget.callBegins() }
            budget.copies shouldBe 15
        }

        test("copies are at most their share of the calls, whatever the order and whichever of them win") {
            checkAll(Arb.double(0.001, 1.0, includeNaNs = false), Arb.list(Arb.int(0..4), 0..2_000)) { load, steps ->
                val budget = HedgeBudget(load)
                var calls = 0
                var copies = 0
                for (step in steps) {
                    if (step < 2) {
                        calls++
                        budget.callBegins()
                    } else if (budget.tryTake()) {
                        copies++
                        if (step < 4) budget.copyEnded(won = step == 2)
                    }
                    copies.toDouble() shouldBeLessThanOrEqual calls * load + 1e-3
                }
            }
        }

        test("a copy that loses takes from what is saved, down to one copy") {
            val budget = HedgeBudget(1.0)
            repeat(15) { budget.callBegins() }
            budget.copies shouldBe 15
            // The share that won falls from 500 thousandths to 342, which is above a third.
            repeat(6) { budget.copyEnded(won = false) }
            budget.copies shouldBe 15
            repeat(100) { budget.copyEnded(won = false) }
            budget.copies shouldBe 1
        }

        test("a hedge says its share and its delay, if that is fixed") {
            "${Hedge(0.05)}" shouldBe "hedge(at most 0.05 copies a call)"
            "${Hedge.after(50.milliseconds, 0.05)}" shouldBe "hedge(at most 0.05 copies a call, after 50ms)"
            HedgeRefusal.entries.map { it.word }.toSet().size shouldBe HedgeRefusal.entries.size
        }
    })
