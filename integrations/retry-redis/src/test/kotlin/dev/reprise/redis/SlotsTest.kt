package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

class SlotsTest :
    FunSpec({
        test("slots lapse one by one, and those that are left stay where they were") {
            checkAll(Arb.int(3, 1_000_000_000), Arb.int(1, 100), Arb.long(0, 20_000_000_000)) { thirds, count, now ->
                val gap = thirds / 3.0
                val slots = Slots(1_000, gap, count, "a:1")
                val live = slots.live(now)
                if (live.left > 0) live.at(0) + Slots.GRACE shouldBeGreaterThan now - 1
                if (live.left > 0) live.last shouldBe slots.last
                if (live.left < count) (slots.at(count - live.left - 1) + Slots.GRACE <= now + 1) shouldBe true
            }
        }

        test("the last slot is as many gaps after the first as there are others") {
            Slots(100, 10.0, 3, "a:1").run {
                last shouldBe 120
                toString() shouldBe "3 slots from 100 every 10.0 ns"
                live(Slots.GRACE + 111).generation shouldBe "a:1"
            }
        }

        test("a slot is taken once") {
            val slots = Slots(0, 10.0, 3, "a:1")
            slots.taken().left shouldBe 2
            slots.taken().at(0) shouldBe 10
            slots.taken().taken().taken().left shouldBe 0
        }

        test("the last slot alone is the last one, if one is left") {
            val last = Slots(100, 10.0, 3, "a:1").taken().lastOnly()
            last.left shouldBe 1
            last.at(0) shouldBe 120
            last.taken().lastOnly().left shouldBe 0
        }
    })
