package dev.reprise.redis

import dev.reprise.core.SendRateSettings
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThan

/** The shared send rate after a server that throttled all, in virtual time on a real Redis. */
class RateOutageTest :
    FunSpec({
        val redis = redis()

        beforeTest { redis.flushall() }

        for ((count, rate) in listOf(1 to 20.0, 3 to 50.0)) {
            test("$count clients on $rate/s are back within 20 s after an outage of throttles of a minute") {
                val agenda = Agenda(1)
                val bucket = Bucket(rate, 1.0)
                val fleet = List(count) {
                    val environment = agenda.environment(origin = it * 7_000_000_000)
                    val connection = VirtualConnection(agenda, redis, Script.RATE)
                    val own = SendRateSettings.STEADY
                    val send =
                        RedisSendRate("orders", lazyOf("c$it"), FleetSettings.DEFAULT, own, environment, connection)
                    Busy(agenda, send, environment, bucket, depth = 20).also { busy ->
                        agenda.plan(it * 1_000_000L) { busy.begin() }
                    }
                }
                fun used(seconds: Long): Double {
                    bucket.reset()
                    agenda.runUntil(agenda.now + seconds * SECOND)
                    return bucket.admitted / (rate * seconds)
                }
                used(40)
                used(20) shouldBeGreaterThan 0.9
                bucket.rate = 0.0
                used(30)
                val before = fleet.sumOf { it.sent }
                used(30)
                // One attempt a second at most while all are refused.
                fleet.sumOf { it.sent } - before shouldBeLessThan 30
                bucket.rate = rate
                val first = used(20)
                val then = used(30)
                Figures.note("$count clients on $rate/s after a minute of throttles: used of 20 s", first, "then", then)
                first shouldBeGreaterThan 0.7
                then shouldBeGreaterThan 0.9
            }
        }
    })
