package dev.reprise.redis

import dev.reprise.core.SendRateSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.lettuce.core.RedisClient

/**
 * How much of a server without a burst a fleet uses together, in virtual time on a real Redis: only with `-Dnightly` is
 * there anything to run.
 */
class RateFiguresTest :
    FunSpec({
        val server by lazy { RedisProcess() }
        val client by lazy { RedisClient.create(server.url) }
        val redis by lazy { client.connect().sync() }

        beforeTest { redis.flushall() }

        if (isNightly) {
            afterSpec {
                client.shutdown(java.time.Duration.ZERO, java.time.Duration.ofSeconds(2))
                server.close()
            }
        }

        class Shares(val used: Double, val worst: Double, val commands: Double)

        fun share(count: Int, rate: Double, warm: Int, seconds: Int): Shares {
            val agenda = Agenda(2)
            val connections = ArrayList<VirtualConnection>()
            val bucket = Bucket(rate, 1.0)
            val fleet = List(count) {
                val environment = agenda.environment(origin = it * 7_000_000_000, pace = 1 + 2e-5 * (it % 3 - 1))
                val connection = VirtualConnection(agenda, redis, Script.RATE).also(connections::add)
                val send = RedisSendRate(
                    "orders",
                    lazyOf("c$it"),
                    FleetSettings.DEFAULT,
                    SendRateSettings.STEADY,
                    environment,
                    connection,
                )
                val busy = Busy(agenda, send, environment, bucket, depth = 20)
                agenda.plan(it * 1_000_000L) { busy.begin() }
                busy
            }
            agenda.runUntil(warm * SECOND)
            bucket.reset()
            fleet.forEach { it.admitted = 0 }
            val before = connections.sumOf { it.commands }
            agenda.runUntil((warm + seconds) * SECOND)
            val worst = fleet.minOf { it.admitted } / fleet.map { it.admitted }.average()
            val commands = (connections.sumOf { it.commands } - before).toDouble() / count / seconds
            return Shares(bucket.admitted / (rate * seconds), worst, commands)
                .also { Figures.note("$count clients at $rate/s: used", it.used, "worst", it.worst, it.commands) }
        }

        nightly("ten clients use 0.92 of a server of 10/s without burst, the worst 0.9 of the mean") {
            val shares = share(10, 10.0, warm = 30, seconds = 300)
            shares.used shouldBeGreaterThan 0.92
            shares.worst shouldBeGreaterThan 0.9
            shares.commands shouldBeLessThan 20.0
        }

        nightly("100 clients use 0.95 of 1,000/s without burst") {
            val shares = share(100, 1_000.0, warm = 60, seconds = 60)
            shares.used shouldBeGreaterThan 0.95
            shares.worst shouldBeGreaterThan 0.9
            shares.commands shouldBeLessThan 20.0
        }
    })
