package dev.reprise.redis

import dev.reprise.build.rounds
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.redis.VirtualConnection.Fate
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

private const val COST = 14

/** One simulated client that takes as much as it gets; what it spends is counted over its death. */
private class Spender(private val agenda: Agenda, val quota: RedisQuota, private val fails: Boolean = false) {
    var spent = 0L
    var earned = 0L
    var lives = true

    fun begin() {
        agenda.plan(agenda.now + agenda.random.nextLong(SECOND / 2)) { turn() }
    }

    private fun turn() {
        if (!lives) return
        if (quota.tryTake(COST, null)) waitFor(agenda.random.nextLong(100_000_000))
        if (!fails && agenda.random.nextInt(4) == 0) earned += quota.succeeded(1, null)
        begin()
    }

    private fun waitFor(nanos: Long) {
        agenda.plan(agenda.now + nanos) {
            if (!lives) return@plan
            if (agenda.random.nextInt(10) == 0) {
                quota.giveBack(COST, null)
                return@plan
            }
            val longer = quota.confirm(COST)
            if (longer == 0L) spent += COST
            if (longer < 0) quota.giveBack(COST, null)
            if (longer > 0) waitFor(longer)
        }
    }
}

/** Tokens are conserved, whatever becomes of commands, clients, clocks and the server's memory. */
class ConservationTest :
    FunSpec({
        val redis = redis()
        val settings = FleetSettings { capacity = 7_000 }

        fun fleet(
            agenda: Agenda,
            count: Int,
            stoppedUntil: (client: Int) -> Long = { 0 },
            fails: Boolean = false,
            fate: () -> Fate = { Fate.DONE },
        ) = List(count) {
            val origin = agenda.random.nextLong()
            val environment = agenda.environment(origin, pace = 0.9 + 0.2 * agenda.random.nextDouble())
            Spender(
                agenda,
                RedisQuota(
                    "q",
                    lazyOf("c$it"),
                    settings,
                    environment,
                    VirtualConnection(agenda, redis, Script.QUOTA, stoppedUntil = { stoppedUntil(it) }, fate = fate),
                ),
                fails,
            )
        }.onEach { it.begin() }

        fun begin(seed: Int): Agenda = Agenda(seed).also { redis.flushall() }

        fun level() = redis.hget("reprise:1:{q}:quota", "level")?.toDouble() ?: 0.0

        test("commands that are lost, late or without a reply make no token, nor do clients that die") {
            checkAll(rounds(few = 5, many = 12), Arb.int()) { seed ->
                val agenda = begin(seed)
                val spenders = fleet(agenda, 20) {
                    when (agenda.random.nextInt(12)) {
                        0 -> Fate.NEVER
                        1 -> Fate.REPLY_LOST
                        2 -> Fate.LATE
                        else -> Fate.DONE
                    }
                }
                spenders.drop(15).forEach { dying ->
                    agenda.plan(agenda.random.nextLong(20 * SECOND)) { dying.lives = false }
                }
                agenda.runUntil(30 * SECOND)
                val spent = spenders.sumOf { it.spent - it.quota.lent }
                spent shouldBeLessThanOrEqual settings.capacity + spenders.sumOf { it.earned }
            }
        }

        test("a fleet spends nothing twice when the server stands still, or cannot be reached, and kept its memory") {
            var lent = 0L
            checkAll(rounds(few = 4, many = 10), Arb.int(), Arb.boolean()) { seed, isStopped ->
                val agenda = begin(seed)
                val from = 4 * SECOND + agenda.random.nextLong(4 * SECOND)
                val until = from + 200_000_000 + agenda.random.nextLong(20 * SECOND)
                fun isAway() = agenda.now in from..until
                val count = 2 + agenda.random.nextInt(20)
                val spenders = fleet(agenda, count, { if (isStopped && isAway()) until else 0 }) {
                    if (!isStopped && isAway()) Fate.NEVER else Fate.DONE
                }
                agenda.runUntil(until + 30 * SECOND)
                val spent = spenders.sumOf { it.spent }
                // A short outage of two clients may find nobody who asks.
                lent += spenders.sumOf { it.quota.lent }
                spent shouldBeLessThanOrEqual settings.capacity + spenders.sumOf { it.earned }
            }
            lent shouldBeGreaterThan 0
        }

        test("while all calls fail, a fleet that loses its server spends what was left, and not one retry more") {
            var lent = 0L
            checkAll(rounds(few = 10, many = 30), Arb.int(), Arb.boolean(), Arb.int(2..13)) { seed, isStopped, count ->
                val agenda = begin(seed)
                val from = 2 * SECOND + agenda.random.nextLong(6 * SECOND)
                val until = from + 5 * SECOND + agenda.random.nextLong(20 * SECOND)
                fun isAway() = agenda.now in from..until
                val spenders = fleet(agenda, count, { if (isStopped && isAway()) until else 0 }, fails = true) {
                    if (!isStopped && isAway()) Fate.NEVER else Fate.DONE
                }
                agenda.runUntil(until + 60 * SECOND)
                lent += spenders.sumOf { it.quota.lent }
                spenders.sumOf { it.spent } shouldBeLessThanOrEqual settings.capacity.toLong()
            }
            lent shouldBeGreaterThan 0
        }

        test(
            "clients that stand still one by one, each for up to a second, add at most a two-hundredth of the budget",
        ) {
            var lent = 0L
            val overspent = ArrayList<Double>()
            checkAll(rounds(few = 8, many = 20), Arb.int(), Arb.int(2..11)) { seed, count ->
                val agenda = begin(seed)
                val until = LongArray(count)
                fun stall(client: Int) {
                    agenda.plan(agenda.now + agenda.random.nextLong(3 * SECOND)) {
                        until[client] = agenda.now + agenda.random.nextLong(SECOND)
                        stall(client)
                    }
                }
                repeat(count) { stall(it) }
                val spenders = fleet(agenda, count, { until[it] }, fails = true)
                agenda.runUntil(150 * SECOND)
                lent += spenders.sumOf { it.quota.lent }
                overspent += spenders.sumOf { it.spent }.toDouble() / settings.capacity - 1
            }
            lent shouldBeGreaterThan 0
            overspent.max() shouldBeLessThanOrEqual 0.1
            overspent.average() shouldBeLessThanOrEqual 0.005
        }

        test(
            "a client that is cut off once more lends itself nothing on what it heard before the others told of theirs",
        ) {
            checkAll(rounds(few = 4, many = 10), Arb.int()) { seed ->
                val agenda = begin(seed)
                var fate = Fate.DONE
                val spenders = fleet(agenda, 2, fails = true) { fate }
                agenda.runUntil(5 * SECOND)
                fate = Fate.NEVER
                agenda.runUntil { spenders.none { it.quota.isShared } }
                fate = Fate.DONE
                val lent = spenders.map { it.quota.lent }
                lent.sum() shouldBeGreaterThan 0
                // The first to be back has told of its share, and lives on it.
                agenda.runUntil { spenders.any { it.quota.isShared } }
                agenda.runUntil(agenda.now + 2 * SECOND)
                fate = Fate.NEVER
                agenda.runUntil(agenda.now + 30 * SECOND)
                spenders.map { it.quota.lent } shouldBe lent
            }
        }

        test("a fleet of one client spends in an outage what a local quota would, to the token") {
            checkAll(5, Arb.int()) { seed ->
                val agenda = begin(seed)
                val local = RetryQuota(settings.capacity)
                var expected = 0L
                while (local.tryTake(COST, null)) expected += COST
                val spender = fleet(agenda, 1, fails = true).single()
                agenda.runUntil(400 * SECOND)
                spender.spent shouldBe expected
            }
        }

        test("a fleet whose commands are all done loses nothing") {
            checkAll(6, Arb.int()) { seed ->
                val agenda = begin(seed)
                val spenders = fleet(agenda, 10) { Fate.DONE }
                agenda.runUntil(5 * SECOND)
                spenders.forEach { it.lives = false }
                agenda.runUntil(60 * SECOND)
                spenders.sumOf { it.quota.lent } shouldBe 0
                val spent = spenders.sumOf { it.spent }
                val left = minOf(settings.capacity.toLong(), settings.capacity - spent + spenders.sumOf { it.earned })
                // Promises of clients that were stopped in a wait are still held by them.
                left - level() shouldBeLessThanOrEqual 10.0 * COST * 2
                level() - left shouldBeLessThanOrEqual 0.0
            }
        }

        test("a server that loses its memory adds one fiftieth of the budget, and no more") {
            checkAll(8, Arb.int()) { seed ->
                val agenda = begin(seed)
                val spenders = fleet(agenda, 20) { Fate.DONE }
                val lossAt = 5 * SECOND + agenda.random.nextLong(10 * SECOND)
                agenda.runUntil(lossAt)
                redis.flushall()
                agenda.runUntil(lossAt + 30 * SECOND)
                val spent = spenders.sumOf { it.spent }
                spent.toDouble() shouldBeGreaterThan 0.0
                spent shouldBeLessThanOrEqual (settings.capacity * 1.02).toLong() + spenders.sumOf { it.earned }
            }
        }

        test("the server's clock may jump by an hour, back and forth") {
            val agenda = begin(3)
            val spenders = fleet(agenda, 10) { Fate.DONE }
            for (second in 1..30L) {
                agenda.runUntil(second * SECOND)
                VirtualConnection.shift = agenda.random.nextLong(-3_600, 3_600) * 1_000_000
            }
            VirtualConnection.shift = 0
            val spent = spenders.sumOf { it.spent }
            spent shouldBeLessThanOrEqual settings.capacity + spenders.sumOf { it.earned }
            (spent > settings.capacity / 2) shouldBe true
        }
    })
