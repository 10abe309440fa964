package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class UnusedSlotsTest :
    FunSpec({
        test("a slot that is put back is there once, for the next caller") {
            val unused = UnusedSlots(0)
            unused.tryTake(0) shouldBe false
            unused.taken(10)
            unused.putBack()
            unused.putBack()
            List(3) { unused.tryTake(20) } shouldBe listOf(true, true, false)
        }

        test("slots that are put back lapse as slots do, all of them") {
            for ((late, isThere) in listOf(Slots.GRACE to true, Slots.GRACE + 1 to false)) {
                val unused = UnusedSlots(0)
                unused.taken(10)
                repeat(3) { unused.putBack() }
                unused.tryTake(10 + late) shouldBe isThere
                unused.tryTake(10) shouldBe isThere
            }
        }
    })
