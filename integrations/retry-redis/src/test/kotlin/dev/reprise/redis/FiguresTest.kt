package dev.reprise.redis

import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe

/** What a fleet reaches together, in virtual time on a real server; the table of `docs/figures/quota-fleet.csv`. */
class FiguresTest :
    FunSpec({
        val redis = redis()

        beforeTest { redis.flushall() }

        fun quotas(
            agenda: Agenda,
            count: Int,
            connections: MutableList<VirtualConnection>,
            fate: () -> VirtualConnection.Fate = { VirtualConnection.Fate.DONE },
        ) = List(count) {
            val connection = VirtualConnection(agenda, redis, Script.QUOTA, fate = fate).also(connections::add)
            RedisQuota(
                "orders",
                lazyOf("c$it"),
                FleetSettings.DEFAULT,
                agenda.environment(origin = it * 1_000L),
                connection,
            )
        }

        // 20 s, and the processor of a whole build: with -Dnightly.
        nightly(
            "5,000 clients make at most 1.2 attempts for each call in an outage of 30 s, and no command on success",
        ) {
            val agenda = Agenda(1)
            val connections = ArrayList<VirtualConnection>()
            val outage = Outage(agenda, quotas(agenda, 5_000, connections), 0.1) { it / SECOND !in 10 until 40 }
            outage.begin()
            agenda.runUntil(10 * SECOND)
            connections.sumOf { it.commands } shouldBe 0
            outage.reset()
            agenda.runUntil(40 * SECOND)
            val during = "${connections.sumOf { it.commands }} commands"
            val perCall = outage.perCall
            outage.perCall shouldBeLessThan 1.2
            outage.perCall shouldBeGreaterThan 1.0
            outage.longestAdded shouldBeLessThanOrEqual 100_000_000
            outage.reset()
            agenda.runUntil(200 * SECOND)
            redis.hget("reprise:1:{orders}:quota", "level").toDouble() shouldBe 14_000.0
            outage.reset()
            val before = connections.sumOf { it.commands }
            agenda.runUntil(240 * SECOND)
            outage.successes shouldBeGreaterThan 15_000
            connections.sumOf { it.commands } shouldBe before
            Figures.note("attempts for each call in a 30 s outage", during, perCall)
        }

        test("each for itself makes three") {
            val agenda = Agenda(1)
            val outage = Outage(agenda, List(5_000) { RetryQuota() }, 0.1) { false }
            outage.begin()
            agenda.runUntil(30 * SECOND)
            outage.perCall shouldBeGreaterThan 2.9
        }

        test("while Redis is gone, or says nothing, no call fails for it and none waits longer than 100 ms") {
            var isGone = false
            val agenda = Agenda(4)
            val fleet = quotas(agenda, 50, ArrayList()) {
                if (isGone) VirtualConnection.Fate.NEVER else VirtualConnection.Fate.DONE
            }
            // Failures are more frequent at first, so that each client has heard of the fleet's quota.
            val outage = Outage(agenda, fleet, 1.0) { agenda.random.nextInt(if (it < 40 * SECOND) 4 else 10) > 0 }
            outage.begin()
            agenda.runUntil(60 * SECOND)
            fleet.all { it.clients > 0 } shouldBe true
            val before = outage.unpaid
            isGone = true
            agenda.runUntil(90 * SECOND)
            // Who had no failure in these 30 s, which one in twenty has not, sent nothing and has not seen it.
            fleet.count { it.isShared } shouldBeLessThan fleet.size / 4
            isGone = false
            agenda.runUntil(120 * SECOND)
            fleet.all { it.isShared } shouldBe true
            outage.unpaid shouldBe before
            outage.longestAdded shouldBeLessThanOrEqual 100_000_000
            Figures.note("Redis gone for 30 s: failed", outage.unpaid - before, "added ms", outage.longestAdded / 1e6)
        }
    })
