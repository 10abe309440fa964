package dev.reprise.redis

import dev.reprise.build.rounds
import dev.reprise.core.SendRateSettings
import dev.reprise.redis.VirtualConnection.Fate
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

/** No permit is used twice, and no client waits for a dead one. */
class SlotLawsTest :
    FunSpec({
        val redis = redis()
        val own = SendRateSettings.STEADY

        class Fleet(val agenda: Agenda, count: Int, rate: Double, fate: () -> Fate = { Fate.DONE }) {
            val bucket = Bucket(rate, 1.0).also { redis.flushall() }
            val connections = List(count) { VirtualConnection(agenda, redis, Script.RATE, fate = fate) }
            val rates = List(count) { index ->
                val environment = agenda.environment(
                    origin = agenda.random.nextLong(),
                    pace = 1 + 2e-5 * (index % 3 - 1),
                )
                RedisSendRate("s", lazyOf("c$index"), FleetSettings.DEFAULT, own, environment, connections[index]) to
                    environment
            }
            val clients = rates.mapIndexed { index, (rate, environment) ->
                Busy(agenda, rate, environment, bucket, depth = 10).also {
                    agenda.plan(index * 1_000_000L) { it.begin() }
                }
            }
        }

        test("while all commands are done, permits are slots, and each slot is used once at most") {
            checkAll(rounds(few = 2, many = 5), Arb.int()) { seed ->
                val fleet = Fleet(Agenda(seed), 8, 40.0)
                fleet.agenda.runUntil(5 * SECOND)
                fleet.rates.all { it.first.isShared } shouldBe true
                val sent = fleet.clients.sumOf { it.sent }
                val slots = fleet.connections.sumOf { it.slots }
                fleet.agenda.runUntil(25 * SECOND)
                // What was handed out before and used since is no more than the horizon.
                val held = 2 * 40 * 2
                val handed = fleet.connections.sumOf { it.slots } - slots
                fleet.clients.sumOf { it.sent } - sent shouldBeLessThanOrEqual handed + held
                fleet.clients.sumOf { it.sent } shouldBeLessThanOrEqual (40 * 25 * 1.5).toInt()
            }
        }

        test("a rate that is closed is the client's own from then on, and holds no one up") {
            val fleet = Fleet(Agenda(4), 3, 20.0)
            fleet.agenda.runUntil(20 * SECOND)
            val closed = fleet.rates.first().first
            closed.isShared shouldBe true
            closed.close()
            closed.isShared shouldBe false
            val before = fleet.clients.first().sent
            fleet.agenda.runUntil(40 * SECOND)
            fleet.clients.first().sent - before shouldBeGreaterThan 20
        }

        test("clients that die hold no one up") {
            val fleet = Fleet(Agenda(5), 10, 20.0)
            fleet.agenda.runUntil(40 * SECOND)
            fleet.clients.take(7).forEach { it.lives = false }
            fleet.agenda.runUntil(45 * SECOND)
            fleet.bucket.reset()
            fleet.agenda.runUntil(85 * SECOND)
            fleet.bucket.admitted / (20.0 * 40) shouldBeGreaterThan 0.85
        }

        test("a fleet whose server forgets the rate goes on at that rate") {
            val fleet = Fleet(Agenda(6), 10, 20.0)
            fleet.agenda.runUntil(40 * SECOND)
            redis.flushall()
            fleet.bucket.reset()
            fleet.agenda.runUntil(80 * SECOND)
            fleet.bucket.admitted / (20.0 * 40) shouldBeGreaterThan 0.8
        }

        test("a fleet whose server is gone goes on in the order that it had, and is shared again") {
            var isGone = false
            val fleet = Fleet(Agenda(7), 5, 50.0) { if (isGone) Fate.NEVER else Fate.DONE }
            fleet.agenda.runUntil(30 * SECOND)
            isGone = true
            fleet.agenda.runUntil(32 * SECOND)
            fleet.rates.none { it.first.isShared } shouldBe true
            fleet.bucket.reset()
            fleet.agenda.runUntil(50 * SECOND)
            val first = fleet.bucket.admitted / (50.0 * 18)
            fleet.agenda.runUntil(110 * SECOND)
            val then = fleet.bucket.admitted / (50.0 * 78)
            Figures.note("alone: used of 18 s", first, "of 78 s", then)
            first shouldBeGreaterThan 0.8
            then shouldBeGreaterThan 0.8
            isGone = false
            fleet.agenda.runUntil(125 * SECOND)
            fleet.rates.all { it.first.isShared } shouldBe true
        }

        test("a server that becomes slower while Redis is gone is asked less, and as often as before when it is well") {
            var isGone = false
            val fleet = Fleet(Agenda(9), 5, 50.0) { if (isGone) Fate.NEVER else Fate.DONE }
            fleet.agenda.runUntil(30 * SECOND)
            isGone = true
            fleet.bucket.rate = 20.0
            fleet.agenda.runUntil(60 * SECOND)
            val before = fleet.clients.sumOf { it.sent }
            fleet.bucket.reset()
            fleet.agenda.runUntil(90 * SECOND)
            val sent = fleet.clients.sumOf { it.sent } - before
            Figures.note("alone, 20/s: sent", sent / 30.0, "admitted", fleet.bucket.admitted / 30.0)
            sent shouldBeLessThanOrEqual 50 * 30 / 2
            fleet.bucket.rate = 50.0
            fleet.agenda.runUntil(150 * SECOND)
            fleet.bucket.reset()
            fleet.agenda.runUntil(170 * SECOND)
            // Slowly: a client takes up rounds that it left out one by one.
            fleet.bucket.admitted / (50.0 * 20) shouldBeGreaterThan 0.3
        }

        // 8 s: with -Dnightly.
        nightly("a server whose capacity falls to a quarter and comes back is followed") {
            val fleet = Fleet(Agenda(8), 10, 100.0)
            fleet.agenda.runUntil(30 * SECOND)
            fleet.bucket.rate = 25.0
            fleet.agenda.runUntil(50 * SECOND)
            fleet.bucket.reset()
            fleet.agenda.runUntil(80 * SECOND)
            fleet.bucket.admitted / (25.0 * 30) shouldBeGreaterThan 0.8
            fleet.bucket.rate = 100.0
            fleet.agenda.runUntil(160 * SECOND)
            fleet.bucket.reset()
            fleet.agenda.runUntil(200 * SECOND)
            fleet.bucket.admitted / (100.0 * 40) shouldBeGreaterThan 0.8
        }
    })
