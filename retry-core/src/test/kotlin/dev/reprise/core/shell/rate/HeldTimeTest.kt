package dev.reprise.core.shell.rate

import dev.reprise.core.GrowthRule
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.MILLI
import dev.reprise.core.shell.time.SECOND
import dev.reprise.core.shell.time.UNLIMITED_NANOS
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.arbitrary.map
import io.kotest.property.checkAll

/** [count] answers of one kind, [gap] ms apart, to requests sent [ago] ms before, where the server admits [admittedRate]. */
private class Answers(
    val isThrottled: Boolean,
    val count: Int,
    val gap: Long,
    val ago: Long,
    val admittedRate: Double,
    val isSpare: Boolean,
) {
    override fun toString() = "$count ${if (isThrottled) "throttled" else "accepted"} in $gap ms, after $ago ms"
}

private val answers = Arb.bind(
    Arb.boolean(),
    Arb.int(1..20),
    Arb.long(1L..900L),
    Arb.long(0L..900L),
    Arb.int(1..200).map(Int::toDouble),
    Arb.boolean(),
    ::Answers,
)

/** A curve and its client's time, which was held for [held] nanoseconds. */
private class Client(var curve: SteadyCurve, var rate: Double, var now: Long, var admitted: Long, val held: Long = 0) {
    fun play(answers: Answers, see: (Client) -> Unit = {}) = repeat(answers.count) {
        val sentAt = now - answers.ago * MILLI
        if (!answers.isThrottled) admitted++
        val meter = Meter(admittedBefore = admitted - 1, admittedRate = answers.admittedRate)
        if (answers.isThrottled) {
            val throttle = Throttle(sentAt, now, curve.top > 0, rate, admitted, meter, answers.isSpare)
            curve = curve.throttled(throttle)
            rate = curve.rate(throttle)
        } else {
            curve = curve.accepted(sentAt, now, rate, admitted, meter)
            rate = curve.rate(sentAt, now, rate, meter)
        }
        see(this)
        now += answers.gap * MILLI
    }

    /** All that this client shows, as if its time had not been held. */
    val shown get() = listOf(rate, curve.top, curve.cutAt - held, curve.quietAt - held, curve.burstSeconds(now))
}

/** Failures stop the time of [GrowthRule.STEADY], until the next answer that is no failure. */
class HeldTimeTest :
    FunSpec({
        test("after failures everything goes on as if their time had not been") {
            checkAll(Arb.list(answers, 0..8), Arb.list(answers, 1..8), Arb.long(1, 1000 * SECOND)) {
                    before,
                    after,
                    held,
                ->
                val shape = SteadyShape(top = 0.0, low = 0.0, cutAt = 0, SendRateSettings.STEADY)
                val first = SteadyCurve(shape, BurstTrust.startingAt(0), throttledAt = UNLIMITED_NANOS)
                val client = Client(first, rate = 50.0, now = SECOND, admitted = 10)
                client.play(Answers(isThrottled = true, 1, gap = 10, ago = 5, admittedRate = 50.0, isSpare = false))
                before.forEach(client::play)
                val twin =
                    Client(client.curve.failed(client.now), client.rate, client.now + held, client.admitted, held)
                withClue("held") {
                    twin.curve.quietAt shouldBe UNLIMITED_NANOS
                    twin.curve.burstSeconds(twin.now) shouldBe client.curve.burstSeconds(client.now)
                }
                val expected = ArrayList<List<Any>>()
                for (each in after) client.play(each) { expected += it.shown }
                var at = 0
                for (each in after) {
                    twin.play(each) { withClue("answer $at of ${expected.size}") { it.shown shouldBe expected[at++] } }
                }
            }
        }
    })
