package dev.reprise.redis

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll

/** A send rate that is closed, beside a rate that never had a fleet. */
class ClosedRateTest :
    FunSpec({
        val redis = redis()

        /** The waits of [count] callers, one after another, from [start] on. */
        fun waits(rate: SendRate, start: Long, count: Int): List<Long> {
            var now = start
            return List(count) {
                val began = now
                while (!rate.tryTake(now)) now += maxOf(1, rate.waitNanos(now, 0))
                now - began
            }
        }

        test("after any answers, closed before or after them, calls wait as they would without a fleet") {
            checkAll(50, Arb.list(Arb.enum<RateOutcome>(), 0..20), Arb.enum<Closing>()) { outcomes, closing ->
                redis.flushall()
                val agenda = Agenda(seed = outcomes.size)
                val own = SendRateSettings.STEADY
                val connection = VirtualConnection(agenda, redis, Script.RATE)
                val closed =
                    RedisSendRate("c", lazyOf("c"), FleetSettings.DEFAULT, own, agenda.environment(), connection)
                val plain = SendRate(own, 0)
                if (closing == Closing.BEFORE) closed.close()
                for (outcome in outcomes) {
                    agenda.runUntil(agenda.now + 100 * MS)
                    for (rate in listOf(closed, plain)) rate.record(outcome, agenda.now - 10 * MS, agenda.now)
                }
                if (closing == Closing.AFTER) closed.close()
                closed.sendRate shouldBe plain.sendRate
                waits(closed, agenda.now, 5) shouldBe waits(plain, agenda.now, 5)
            }
        }
    })

private enum class Closing { BEFORE, AFTER }

private const val MS = 1_000_000L
