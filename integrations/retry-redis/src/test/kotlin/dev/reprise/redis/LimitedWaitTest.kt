package dev.reprise.redis

import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.lettuce.core.RedisClient
import java.time.Duration
import kotlin.math.ln
import kotlin.time.Duration.Companion.milliseconds

/** Calls that do not wait for a permit, or not for long, on a real Redis, and mostly in virtual time, beside clients with rates of their own. */
class LimitedWaitTest :
    FunSpec({
        val redis = redis()

        class Count(val calls: Int, val sent: Int, val admitted: Int, val slots: Int)

        /** Clients that call at random, on a server that [serves] so many a second, and refuses one of each after 5 s. */
        class Scene(
            private val clients: Int,
            private val callsPerSecond: Double,
            private val limitMs: Long,
            private val serves: Double,
        ) {
            fun run(rateOf: (Int, Environment, FleetConnection) -> SendRate): Count {
                redis.flushall()
                val agenda = Agenda(1)
                val server = Bucket(serves, serves / 2 + 1)
                val connections = List(clients) { VirtualConnection(agenda, redis, Script.RATE) }
                val callers = List(clients) { index ->
                    val environment = agenda.environment(origin = agenda.random.nextLong())
                    var isRefused = false
                    Limited(agenda, rateOf(index, environment, connections[index]), environment, limitMs * 1_000_000) {
                        val isNow = !isRefused && it > 5 * SECOND
                        if (isNow) isRefused = true
                        !isNow && server.admits(it)
                    }
                }
                fun goOn(caller: Limited) {
                    val pause = -ln(1 - agenda.random.nextDouble()) * SECOND / callsPerSecond
                    agenda.plan(agenda.now + pause.toLong()) {
                        caller.call()
                        goOn(caller)
                    }
                }
                callers.forEach(::goOn)
                agenda.runUntil(10 * SECOND)
                callers.forEach { it.reset() }
                val before = connections.sumOf { it.slots }
                agenda.runUntil(70 * SECOND)
                val slots = connections.sumOf { it.slots } - before
                return Count(
                    callers.sumOf { it.calls },
                    callers.sumOf { it.sent },
                    callers.sumOf { it.admitted },
                    slots,
                )
            }

            fun shared() = run { index, environment, connection ->
                RedisSendRate(
                    "s",
                    lazyOf("c$index"),
                    FleetSettings.DEFAULT,
                    SendRateSettings.STEADY,
                    environment,
                    connection,
                )
            }

            fun own() = run { _, environment, _ ->
                SendRate(SendRateSettings.STEADY, environment.clock.nanoTime())
            }
        }

        fun test(clients: Int, callsPerSecond: Double, limitMs: Long, serves: Double, part: Double = 0.0) {
            test("$clients with $callsPerSecond calls a second that wait $limitMs ms at most, on $serves/s") {
                val scene = Scene(clients, callsPerSecond, limitMs, serves)
                val shared = scene.shared()
                val own = scene.own()
                Figures.note(
                    "$clients x $callsPerSecond/s on $serves/s, wait at most $limitMs ms: of ${shared.calls} calls",
                    "shared: ${shared.admitted} of ${shared.sent} admitted, ${shared.slots} slots, own rates:",
                    "${own.admitted} of ${own.sent}",
                )
                shared.admitted shouldBeGreaterThan (own.admitted * part).toInt()
                // Each slot is used, and once; one that was handed out before may be kept.
                shared.sent shouldBeGreaterThan (shared.slots * 0.8).toInt()
                shared.sent shouldBeLessThanOrEqual shared.slots + clients
            }
        }

        for (noPermit in listOf(NoPermit.Fail, NoPermit.waitAtMost(20.milliseconds))) {
            test("ten calls a second through a retrier that says $noPermit are sent, in real time") {
                RedisProcess().use { server ->
                    val client = RedisClient.create(server.url)
                    val rate = RedisSendRate(client, "orders")
                    val retrier = Retrier(RetryPolicy.ADAPTIVE_STEADY.toBuilder().onNoPermit(noPermit).build()) {
                        sendRate = rate
                    }
                    suspend fun sent(calls: Int, pauseMs: Long) = (1..calls).count {
                        // The server and its clock are real.
                        Thread.sleep(pauseMs)
                        retrier.outcome { }.reason == StopReason.SUCCESS
                    }
                    sent(calls = 40, pauseMs = 20) shouldBe 40
                    val now = Retrier.SYSTEM_CLOCK.nanoTime()
                    rate.record(RateOutcome.THROTTLED, now, now)
                    until("the fleet's rate is in force") { rate.isShared && rate.sendRate != null }
                    sent(calls = 15, pauseMs = 100) shouldBeGreaterThan 10
                    // Also after a reply that a busy machine had too late.
                    until("it is in force still, or again") { rate.isShared }
                    rate.close()
                    client.shutdown(Duration.ZERO, Duration.ofSeconds(2))
                }
            }
        }

        // A server that refuses none of them: as many are sent as at the clients' own rates.
        test(1, 1.0, 0, serves = 1e6, part = 0.8)
        test(1, 50.0, 0, serves = 1e6, part = 0.7)
        test(10, 1.0, 0, serves = 1e6, part = 0.8)
        test(10, 10.0, 0, serves = 1e6, part = 0.8)
        test(1, 1.0, 1_000, serves = 1e6, part = 0.8)
        test(1, 5.0, 100, serves = 1e6, part = 0.8)
        test(10, 2.0, 100, serves = 1e6, part = 0.8)
        test(10, 10.0, 20, serves = 1e6, part = 0.8)

        // One that refuses many.
        test(1, 1.0, 0, serves = 0.5)
        test(1, 50.0, 0, serves = 25.0)
        test(10, 10.0, 0, serves = 100.0)
        test(1, 5.0, 100, serves = 2.5)
        test(10, 2.0, 100, serves = 20.0)
    })
