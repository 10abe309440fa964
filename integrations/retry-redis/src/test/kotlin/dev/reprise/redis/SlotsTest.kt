package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
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

        test(
            "a slot that is kept for the next call, since no caller waits, is there again when it is put back, and then lapses",
        ) {
            var now = 1_000_000_000_000L
            val rate = FleetRate(
                name = "kept",
                client = lazyOf("one"),
                settings = FleetSettings.DEFAULT,
                least = 0.1,
                environment = Environment({ now }, { 0.5 }, { _, _ -> }),
                connection = OneReply(listOf("0", "1", "-30000", "1.0E7", "0", "first", "100.0", "1")),
                measured = { 10.0 },
                isAwaited = { false },
                changed = {},
            )
            rate.record(RateOutcome.THROTTLED, now, now)
            now += 2 * Slots.GRACE
            rate.tryTake(now) shouldBe true
            rate.tryTake(now) shouldBe false
            rate.putBack()
            rate.tryTake(now + Slots.GRACE) shouldBe true
            rate.putBack()
            rate.tryTake(now + Slots.GRACE + 1) shouldBe false
        }
    })
