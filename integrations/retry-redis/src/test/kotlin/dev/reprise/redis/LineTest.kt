package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

private const val MS = 1_000_000L

class LineTest :
    FunSpec({
        fun reply(firstMs: Long, slots: Int = 1, clients: Int = 10) =
            RateReply(false, slots, firstMs * MS, 10.0 * MS, 0, "g", 100.0, clients)

        /** The line after a reply at 0 whose first slot is after [firstMs]. */
        fun line(firstMs: Long, slots: Int = 1, before: Line? = null) =
            Line.of(reply(firstMs, slots), firstMs * MS, 0, before)

        test(
            "where no one waits, the next slot comes with the reply, and one each gap after it, whatever the clients",
        ) {
            val idle = line(0)
            idle.waitNanos(now = 100 * MS, reply = MS, ahead = 0) shouldBe MS
            idle.waitNanos(now = 100 * MS, reply = MS, ahead = 2) shouldBe 21 * MS
        }

        test("one's own slots are no line of others") {
            val next = Line.of(reply(30), 30 * MS, 0, before = line(0, slots = 3))
            next.waitNanos(now = 0, reply = MS, ahead = 0) shouldBe 40 * MS
            next.waitNanos(now = 0, reply = MS, ahead = 1) shouldBe 50 * MS
        }

        test("a line that others made longer may grow as much again, and is shared") {
            val busy = line(90, before = line(0, slots = 0))
            busy.waitNanos(now = 0, reply = MS, ahead = 0) shouldBe (100 + 90) * MS
            busy.waitNanos(now = 0, reply = MS, ahead = 1) shouldBe (100 + 90 + 100) * MS
            // That is forgotten when its time is over.
            busy.waitNanos(now = 200 * MS, reply = MS, ahead = 1) shouldBe 11 * MS
        }

        test("a line beyond the horizon is known to its end") {
            line(2_500, slots = 0).waitNanos(now = 0, reply = MS, ahead = 0) shouldBe 2_500 * MS
        }
    })
