package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

/** The turns of clients that have lost Redis. */
class TurnsTest :
    FunSpec({
        fun fleet(clients: Int, slots: Int, gap: Double) = List(clients) {
            Turns(Slots((it * slots * gap).toLong(), gap, slots, "g"), clients)
        }

        /** The times of the next [count] places, each taken as soon as it is there. */
        fun Turns.take(count: Int, from: Long): List<Long> {
            var now = from
            return List(count) {
                now += waitNanos(now, 0)
                tryTake(now) shouldBe true
                now
            }
        }

        test("clients that were one behind the other stay so: no two places are nearer than two slots of the fleet") {
            checkAll(50, Arb.int(1..20), Arb.int(1..5), Arb.int(500..50_000)) { clients, slots, micros ->
                val gap = micros * 1_000.0
                val places = fleet(clients, slots, gap).flatMap { it.take(3 * slots, from = 0) }.sorted()
                places.zipWithNext().minOfOrNull { (a, b) -> b - a }?.let { it shouldBeGreaterThanOrEqual gap.toLong() - 2 }
                // And none is left out: together they are as fast as the fleet was.
                (places.last() - places.first()).toDouble() shouldBe (gap * (places.size - 1) plusOrMinus places.size.toDouble())
            }
        }

        test("after whatever answers a client is no faster than it was in the fleet, and throttles make it slower") {
            checkAll(50, Arb.int(1..5), Arb.list(Arb.boolean(), 0..200)) { slots, answers ->
                val turns = fleet(3, slots, 1e7).first()
                answers.forEach {
                    val before = turns.rate
                    turns.answered(isThrottled = it)
                    if (it) turns.rate shouldBeLessThan before
                    turns.rate shouldBeLessThanOrEqual 1e9 / (1e7 * 3) * (1 + 1e-9)
                }
            }
        }

        test("another length of the round leaves the next place where it was") {
            checkAll(50, Arb.int(1..5), Arb.int(0..20)) { slots, taken ->
                val turns = fleet(3, slots, 1e7).first()
                val now = turns.take(taken, from = 0).lastOrNull() ?: 0
                val wait = turns.waitNanos(now, 0)
                turns.answered(isThrottled = true)
                turns.waitNanos(now, 0).toDouble() shouldBe (wait.toDouble() plusOrMinus 2.0)
            }
        }

        test("places that no one wanted lapse, and are not made up for in a burst") {
            val turns = fleet(2, 1, 1e7).first()
            val late = 60_000_000_000L
            var taken = 0
            while (turns.tryTake(late)) taken++
            taken shouldBe (Slots.GRACE / 20_000_000L).toInt() + 1
        }
    })
