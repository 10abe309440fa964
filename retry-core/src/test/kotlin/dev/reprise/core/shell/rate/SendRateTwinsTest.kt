package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.arbitrary
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll

/** An answer that comes [after] the one before it, to a request that was sent [ago], and perhaps says what is left. */
private class Heard(val outcome: RateOutcome, val after: Long, val ago: Long, val hint: RateHint?) {
    override fun toString() = "$outcome after $after, sent $ago ago${hint?.let { ", $it" } ?: ""}"
}

private val answer = arbitrary { source ->
    val random = source.random
    val outcome = listOf(RateOutcome.THROTTLED, RateOutcome.FAILED, RateOutcome.ACCEPTED)
    Heard(
        outcome = outcome[minOf(random.nextInt(9), 2)],
        after = random.nextLong(1, if (random.nextInt(9) == 0) 5 * SECOND else SECOND / 5),
        ago = random.nextLong(0, if (random.nextBoolean()) SECOND else SECOND / 20),
        hint = if (random.nextInt(15) == 0) RateHint.of(random.nextLong(0, 100), random.nextLong(0, 20)) else null,
    )
}

private class Twin(settings: SendRateSettings) {
    var state = SendRateState(settings, 0)

    fun hears(answer: Heard, sentAt: Long, now: Long) {
        state = state.tryTake(now) ?: state
        state = state.record(answer.outcome, sentAt, now)
        if (answer.hint != null) state = state.hint(answer.hint, now)
    }

    fun shown(now: Long): List<Any> = with(state) {
        listOf(enabled, isHeld, sendRate, measuredRate, capacity, tokensAt(now), waitNanos(now))
    }
}

/** Two clients that hear the same, of which one lives through something that must leave no trace. */
class SendRateTwinsTest :
    FunSpec({
        val rules = Arb.element(SendRateSettings.EXACT, SendRateSettings.STEADY)

        test("an update to the settings that are in force changes nothing, whenever it comes") {
            checkAll(150, rules, Arb.list(answer, 50..100), Arb.int(1..9)) { settings, answers, each ->
                val client = Twin(settings)
                val twin = Twin(settings)
                var now = 0L
                answers.forEachIndexed { i, answer ->
                    now += answer.after
                    if (i % each == 0) twin.state = twin.state.with(settings)
                    for (one in listOf(client, twin)) one.hears(answer, now - answer.ago, now)
                    withClue("answer $i") { twin.shown(now) shouldBe client.shown(now) }
                }
            }
        }

        test("a clock that is set back tells other times, and changes nothing else") {
            val shift = Arb.long(61 * SECOND, Long.MAX_VALUE / 2)
            checkAll(100, rules, Arb.list(answer, 0..40), Arb.list(answer, 1..40), shift) {
                    settings,
                    before,
                    after,
                    by,
                ->
                val client = Twin(settings)
                val twin = Twin(settings)
                var now = 0L
                for (answer in before) {
                    now += answer.after
                    for (one in listOf(client, twin)) one.hears(answer, now - answer.ago, now)
                }
                val setBackAt = now
                val first = Heard(RateOutcome.ACCEPTED, after = 0, ago = 0, hint = null)
                for (answer in listOf(first) + after) {
                    now += answer.after
                    // Of a request that was sent before, its age is not known any more.
                    val sentAt = (now - answer.ago).let { if (it < setBackAt) now else it }
                    client.hears(answer, sentAt, now)
                    twin.hears(answer, sentAt - by, now - by)
                    withClue(answer) { twin.shown(now - by) shouldBe client.shown(now) }
                }
            }
        }

        test("a permit that is taken and comes back at once leaves as many as there were, then and later") {
            checkAll(100, rules, Arb.list(answer, 1..60), Arb.long(0, 10 * SECOND)) { settings, answers, later ->
                val client = Twin(settings)
                var now = 0L
                for (answer in answers) {
                    now += answer.after
                    client.hears(answer, now - answer.ago, now)
                    val back = client.state.tryTake(now)?.putBack() ?: continue
                    back.tokensAt(now + later) shouldBe (client.state.tokensAt(now + later) plusOrMinus 1e-6)
                    back.sendRate shouldBe client.state.sendRate
                }
            }
        }
    })
