package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeLessThanOrEqual
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll

/** A retry of [cost] tokens whose backoff is over after [backoffMs]. */
private class Paying(private val agenda: Agenda, private val quota: RedisQuota, private val cost: Int, backoffMs: Int) {
    private val due = agenda.now + backoffMs * MS
    var spent = 0L
        private set
    var isOver = false
        private set
    var lateMs = 0.0
        private set

    init {
        if (quota.tryTake(cost, null)) agenda.plan(due, ::confirm) else isOver = true
    }

    private fun confirm() {
        val longer = quota.confirm(cost)
        if (longer > 0) return agenda.plan(agenda.now + longer, ::confirm)
        isOver = true
        lateMs = (agenda.now - due) / MS.toDouble()
        if (longer == 0L) spent += cost else quota.giveBack(cost, null)
    }
}

/** Calls that fail together while Redis replies in time: leases pay, and no client lends itself anything. */
class TogetherTest :
    FunSpec({
        val redis = redis()
        val settings = FleetSettings { capacity = 7_000 }

        val connections = HashMap<String, VirtualConnection>()

        fun quota(agenda: Agenda, name: String, roundTripMs: Int = 1): RedisQuota {
            val connection = VirtualConnection(agenda, redis, Script.QUOTA, roundTripMs * MS)
            connections[name] = connection
            return RedisQuota("q", lazyOf(name), settings, agenda.environment(), connection)
        }

        /** Two clients of a bucket that is grown up. */
        fun clients(agenda: Agenda, roundTripMs: Int = 1): List<RedisQuota> {
            redis.flushall()
            val quotas = listOf("a", "b").map { quota(agenda, it, roundTripMs) }
            quotas.forEach { Paying(agenda, it, 14, 100) }
            agenda.runUntil(5 * SECOND)
            return quotas
        }

        test("any number of them, at any prices, are paid for within 10 ms, however long their backoffs are") {
            checkAll(60, Arb.int(), Arb.int(1..12), Arb.int(1..1_200)) { seed, count, backoffMs ->
                val agenda = Agenda(seed)
                val quotas = clients(agenda)
                val calls = List(count) {
                    agenda.runUntil(agenda.now + agenda.random.nextLong(MS))
                    Paying(agenda, quotas.first(), if (agenda.random.nextBoolean()) 14 else 5, backoffMs)
                }
                agenda.runUntil(agenda.now + 3 * SECOND)
                calls.count { it.spent > 0 } shouldBe count
                calls.maxOf { it.lateMs } shouldBeLessThanOrEqual 10.0
                quotas.sumOf { it.lent } shouldBe 0
            }
        }

        test("calls that fail at once have the whole capacity, to the last token") {
            for (retries in 1..3) {
                redis.flushall()
                val agenda = Agenda(retries)
                val small = FleetSettings { capacity = retries * 14 }
                val connection = VirtualConnection(agenda, redis, Script.QUOTA)
                val quota = RedisQuota("q", lazyOf("a"), small, agenda.environment(), connection)
                // The bucket grows up, and is filled again.
                Paying(agenda, quota, 14, 100)
                agenda.runUntil(5 * SECOND)
                quota.succeeded(14, null)
                agenda.runUntil(60 * SECOND)
                quota.available shouldBe small.capacity
                val calls = List(retries + 1) { Paying(agenda, quota, 14, 100) }
                agenda.runUntil(agenda.now + SECOND)
                calls.count { it.spent > 0 } shouldBe retries
            }
        }

        test("a client has no name before its first command: copies of its process's image are clients of their own") {
            redis.flushall()
            val agenda = Agenda(seed = 1)
            var made = 0
            val connection = VirtualConnection(agenda, redis, Script.QUOTA)
            val quota = RedisQuota("q", lazy { "c${++made}" }, settings, agenda.environment(), connection)
            quota.succeeded(14, null)
            made shouldBe 0
            repeat(2) { quota.tryTake(14, null) }
            agenda.runUntil(SECOND)
            made shouldBe 1
            quota.clients shouldBe 1
        }

        test(
            "a client that is closed gives back what a command brings that is under way, and then closes its connection",
        ) {
            for (afterMs in listOf(0, 10, 100)) {
                val agenda = Agenda(seed = afterMs)
                val quota = clients(agenda, roundTripMs = 50).first()
                repeat(20) { quota.tryTake(14, null) }
                agenda.runUntil(agenda.now + afterMs * MS)
                repeat(20) { quota.giveBack(14, null) }
                repeat(2) { quota.close() }
                agenda.runUntil(agenda.now + SECOND)
                redis.hget("reprise:1:{q}:quota", "level").toInt() shouldBe settings.capacity - 2 * 14
                connections.getValue("a").isClosed shouldBe true
            }
        }

        test("a hundred a second, with Redis 50 ms away, wait for three replies at most") {
            checkAll(5, Arb.int()) { seed ->
                val agenda = Agenda(seed)
                val quotas = clients(agenda, roundTripMs = 50)
                val calls = List(200) {
                    agenda.runUntil(agenda.now + 10 * MS)
                    Paying(agenda, quotas.first(), 14, 50)
                }
                agenda.runUntil(agenda.now + 3 * SECOND)
                calls.count { it.spent > 0 } shouldBe 200
                calls.maxOf { it.lateMs } shouldBeLessThanOrEqual 110.0
                quotas.sumOf { it.lent } shouldBe 0
            }
        }

        test("more than there are tokens for: what is there is spent, and no token more") {
            checkAll(10, Arb.int(), Arb.int(1..1_200)) { seed, backoffMs ->
                val agenda = Agenda(seed)
                val quotas = clients(agenda)
                val calls = List(700) {
                    agenda.runUntil(agenda.now + agenda.random.nextLong(10 * MS))
                    val cost = if (agenda.random.nextInt(4) == 0) 5 else 14
                    Paying(agenda, quotas[agenda.random.nextInt(2)], cost, backoffMs)
                }
                agenda.runUntil(agenda.now + 10 * SECOND)
                calls.count { it.isOver } shouldBe 700
                val spent = calls.sumOf { it.spent } + 2 * 14
                spent shouldBeLessThanOrEqual settings.capacity.toLong()
                spent shouldBeGreaterThan settings.capacity * 9L / 10
                quotas.sumOf { it.lent } shouldBe 0
            }
        }
    })

private const val MS = 1_000_000L
