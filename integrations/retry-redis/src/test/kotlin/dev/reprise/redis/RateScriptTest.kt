package dev.reprise.redis

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.shouldBe

/** The send rate's script answers clients that know different rates and have different horizons. */
class RateScriptTest :
    FunSpec({
        val redis = redis()
        val settings = FleetSettings.DEFAULT

        class Scene {
            val agenda = Agenda(1)
            private val connection = VirtualConnection(agenda, redis, Script.RATE)

            init {
                redis.flushall()
            }

            /** The reply to a client that wants a slot and was [throttled] or knows a rate. */
            fun ask(name: String, throttled: Int = 0, knows: Double = 0.0, horizonMs: Int = 2_000): RateReply {
                val keys = arrayOf(settings.key("s", "rate"), settings.key("s", "senders"))
                val lifetime = settings.lifetime.inWholeMilliseconds
                val args = arrayOf<Any>(
                    name, 1, "", 0, 0, throttled, 4.0, knows, lifetime, 0.1, horizonMs * 1_000, RateTimes.QUIET_MICROS,
                )
                val reply = connection.run(keys, args.map { it.toString() }.toTypedArray()).toCompletableFuture()
                agenda.runUntil(agenda.now + SECOND / 100)
                return RateReply.of(reply.get())
            }
        }

        test(
            "when the limiter goes off, each client that still knows its rate is told so, and a throttle begins anew",
        ) {
            val scene = Scene()
            val rate = scene.ask("a", throttled = 1).rate
            scene.ask("b", knows = rate).isOff shouldBe false

            scene.agenda.runUntil(scene.agenda.now + RateTimes.QUIET_MICROS * 1_000L + SECOND)

            for (name in listOf("a", "b", "c", "a")) scene.ask(name, knows = rate).isOff shouldBe true
            val anew = scene.ask("c", throttled = 1)
            anew.isOff shouldBe false
            anew.firstNanos.toDouble() shouldBeLessThan SECOND / 10.0
        }

        test("slots are handed out once to clients with any horizons") {
            val scene = Scene()
            val rate = scene.ask("a", throttled = 1).rate
            var free = 0.0
            repeat(40) {
                val horizonMs = if (it % 4 == 3) 100 else 10_000
                val asked = scene.agenda.now.toDouble()
                val reply = scene.ask("c$it", knows = rate, horizonMs = horizonMs)
                if (reply.slots == 0) return@repeat
                val first = asked + reply.firstNanos
                first shouldBeGreaterThan free - SECOND / 100
                free = first + reply.slots * reply.gapNanos
            }
            free shouldBeGreaterThan 8.0 * SECOND
        }

        test("the script's times are in microseconds, and its gap in nanoseconds") {
            RateReply.of(listOf("1", "7", "20", "2.5", "30", "a:9", "12.5", "4")).run {
                isOff shouldBe true
                slots shouldBe 7
                firstNanos shouldBe 20_000
                gapNanos shouldBe 2.5
                againNanos shouldBe 30_000
                generation shouldBe "a:9"
                rate shouldBe 12.5
                clients shouldBe 4
            }
            RateReply.of(listOf("0", "0", "0", "0", "0", "", "0", "0")).isOff shouldBe false
        }
    })
