package dev.reprise.redis

import dev.reprise.core.shell.rate.RateOutcome
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

/** A slot that a client keeps for its next call, since no caller waits. */
class KeptSlotTest :
    FunSpec({
        test("one that is put back is there again, however long it was kept, and lapses after that") {
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
