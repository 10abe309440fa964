package dev.reprise.lab.fleet

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

private fun seconds(count: Int, good: (Int) -> Int) = List(count) { at ->
    Second(at).also {
        it.calls = 100
        it.good = good(at)
    }
}

class RecoveryTest :
    FunSpec({
        fun recovery(count: Int = 60, good: (Int) -> Int) = Recovery.of(seconds(count, good), from = 10.0, to = 20.0)

        test("a fleet that is served at once recovers at once") {
            recovery { if (it in 10..19) 0 else 100 } shouldBe 0.0
        }

        test("a fleet that is dead after a few good seconds never recovers") {
            recovery { if (it in 10..19 || it > 30) 0 else 100 } shouldBe null
        }

        test("a relapse counts: recovery is after the last bad window") {
            recovery { if (it in 10..19 || it in 30..34) 0 else 100 } shouldBe 15.0
        }

        test("a fleet that is bad only at its end never recovers") {
            recovery { if (it in 10..19 || it >= 57) 0 else 100 } shouldBe null
        }

        test("good is what was good before: errors in the background are no lasting harm") {
            recovery { if (it in 10..19) 0 else 70 } shouldBe 0.0
        }

        test("without a before, all calls have to end well") {
            Recovery.of(seconds(60) { if (it < 20) 0 else 70 }, from = 0.0, to = 20.0) shouldBe null
        }

        test("a failure without time after it has no recovery") {
            Recovery.of(seconds(22) { 100 }, from = 10.0, to = 20.0) shouldBe null
        }

        test("seconds without calls are neither good nor bad") {
            val quiet = List(60) { Second(it) }
            Recovery.of(quiet, from = 10.0, to = 20.0) shouldBe 0.0
        }

        test("whatever happened: all windows from the recovery on are good, and the one before is not") {
            checkAll(Arb.list(Arb.boolean(), 40..40)) { after ->
                val seconds = seconds(60) { if (it < 10 || (it >= 20 && after[it - 20])) 100 else 0 }
                fun isGood(from: Int) = seconds.subList(from, from + 5).sumOf { it.good } >= 475
                val recovery = Recovery.of(seconds, from = 10.0, to = 20.0)
                val expected = (20..55).firstOrNull { from -> (from..55).all(::isGood) }
                recovery shouldBe expected?.let { it - 20.0 }
            }
        }
    })
