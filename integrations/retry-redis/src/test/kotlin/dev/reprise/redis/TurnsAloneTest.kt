package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.longs.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

/** The turns of clients that have lost Redis. */
class TurnsAloneTest :
    FunSpec({
        fun fleet(clients: Int, slots: Int, gap: Double) = List(clients) {
            TurnsAlone(Slots((it * slots * gap).toLong(), gap, slots, "g"), clients)
        }

        /** The times of the next [count] places, each taken as soon as it is there. */
        fun TurnsAlone.take(count: Int, from: Long): List<Long> {
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
                places.zipWithNext().minOfOrNull { (a, b) -> b - a }?.let {
                    it shouldBeGreaterThanOrEqual
                        gap.toLong() - 2
                }
                // And none is left out: three rounds, each a tenth longer than the fleet's.
                val rounds = 3.3 * gap * slots * clients
                (places.last() - places.first()).toDouble() shouldBeLessThanOrEqual rounds + 3
            }
        }

        test("the next place is the first that has not lapsed, however late one asks") {
            checkAll(200, Arb.int(1..5), Arb.int(0..3_000), Arb.int(0..7)) { slots, millis, ahead ->
                val grid = fleet(3, slots, 1e7).first().take(400, from = 0)
                val now = millis * 1_000_000L
                val turns = fleet(3, slots, 1e7).first()
                val next = grid.indexOfFirst { it >= now - Slots.GRACE }
                val least = if (ahead == 0) 0L else 1L
                // A sum of floating-point numbers may end a ns beside another sum.
                turns.waitNanos(now, ahead) shouldBeInRange
                    (maxOf(least, grid[next + ahead] - now) + -2..maxOf(least, grid[next + ahead] - now) + 2)
                turns.tryTake(now) shouldBe (grid[next] <= now)
            }
        }

        test("in the fleet's order there is one place in a round that is a tenth longer") {
            fleet(3, 1, 1e7).first().rate shouldBe (1e9 / (3 * 1e7 * 1.1) plusOrMinus 1e-9)
            fleet(3, 4, 1e7).first().rate shouldBe (1e9 / (3 * 1e7 * 1.1) plusOrMinus 1e-9)
        }

        test("rounds are left out when most of the latest sixteen answers were throttles, and not before") {
            fun rateAfter(answers: String) = fleet(3, 1, 1e7).first().run {
                answers.forEach { answered(isThrottled = it == 'T') }
                rate
            }
            val whole = rateAfter("")
            for (kept in listOf("TTTTTTTT", "TA".repeat(50), "T".repeat(8) + "A".repeat(8) + "T")) {
                rateAfter(kept) shouldBe whole
            }
            for (halved in listOf("TTTTTTTTT", "TTTTTTTTAT", "TTTTTTTT" + "AAAAAAA" + "T")) {
                rateAfter(halved) shouldBe (whole / 2 plusOrMinus 1e-9)
            }
        }

        test("after whatever answers a client is no faster than it was in the fleet") {
            checkAll(50, Arb.int(1..5), Arb.list(Arb.boolean(), 0..200)) { slots, answers ->
                val turns = fleet(3, slots, 1e7).first()
                answers.forEach {
                    turns.answered(isThrottled = it)
                    turns.rate shouldBeLessThanOrEqual 1e9 / (1e7 * 3)
                }
            }
        }

        test("a client that is throttled comes a little later, and no place of it moves by more") {
            checkAll(50, Arb.int(1..5), Arb.int(0..20)) { slots, taken ->
                val turns = fleet(3, slots, 1e7).first()
                val now = turns.take(taken, from = 0).lastOrNull() ?: 0
                val wait = turns.waitNanos(now, 0)
                turns.answered(isThrottled = true)
                (turns.waitNanos(now, 0) - wait).toDouble() shouldBe (0.05 * 1e7 plusOrMinus 2.0)
            }
        }

        test("a client that is mostly throttled leaves out rounds, and takes them up again once it is served") {
            val turns = fleet(3, 1, 1e7).first()
            val whole = turns.rate
            repeat(100) { turns.answered(isThrottled = true) }
            turns.rate shouldBeLessThan whole / 500
            repeat(32 * 10) { turns.answered(isThrottled = false) }
            turns.rate shouldBe (whole plusOrMinus 1e-9)
        }

        test("the places of a client that leaves out rounds are among those that it had") {
            val had = fleet(3, 2, 1e7).first().take(200, from = 0).toSet()
            for (taken in 0..3) {
                val turns = fleet(3, 2, 1e7).first()
                val now = turns.take(taken, from = 0).lastOrNull() ?: 0
                // Eight throttles move the places before the ninth leaves out rounds.
                repeat(9) { turns.answered(isThrottled = true) }
                val moved = (8 * 0.05 * 1e7).toLong()
                turns.take(20, from = now).count { place -> had.any { it + moved - place in -10..10 } } shouldBe 20
            }
        }

        test("a client whose calls do not wait may use a place until the next one, and one place at a time") {
            val lease = Slots(0, 1e9, 1, "g")
            TurnsAlone(lease, clients = 1).tryTake(2 * SECOND) shouldBe false
            val turns = TurnsAlone(lease, clients = 1, keeps = true)
            for (late in listOf(2, 10, 100)) List(2) { turns.tryTake(late * SECOND) } shouldBe listOf(true, false)
        }

        test("places that no one wanted lapse, and are not made up for in a burst") {
            val turns = fleet(2, 1, 1e7).first()
            val late = 60_000_000_000L
            var taken = 0
            while (turns.tryTake(late)) taken++
            taken shouldBeLessThanOrEqual (Slots.GRACE / 22_000_000L).toInt() + 1
        }
    })
