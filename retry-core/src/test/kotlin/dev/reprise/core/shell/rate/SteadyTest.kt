package dev.reprise.core.shell.rate

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.time.SECOND
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeBetween
import io.kotest.matchers.doubles.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe

/** The steady rule, one promise at a time. `docs/research/adaptive.md` shows how they work together. */
class SteadyTest :
    FunSpec({
        test("throttles of one round trip cut the rate once") {
            val client = SteadyClient().settledAt(100.0)
            val before = client.state.sendRate
            client.throttle(sentAgo = 20)
            val cut = client.state.sendRate
            cut shouldBeLessThan before
            repeat(50) { client.throttle(sentAgo = 20) }
            client.state.sendRate shouldBe cut
        }

        test("a server that refuses everything for a while has said one thing") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            val cut = client.state.sendRate
            repeat(50) {
                client.pass(22)
                client.throttle(sentAgo = 1)
            }
            client.state.sendRate shouldBe cut
        }

        test("a throttle after an accepted request of the new rate cuts again") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            val cut = client.state.sendRate
            client.serve(seconds = 0.5)
            client.pass(30)
            client.throttle(sentAgo = 20)
            client.state.sendRate shouldBeLessThan cut * 0.95
        }

        test("what a server admitted in less than a second is not taken for its rate") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            // Half of the recovery, and a tenth of a second: a new estimate has begun.
            client.serve(seconds = 2.1)
            client.pass(millis = 300)
            val before = client.state.sendRate
            client.throttle(sentAgo = 20)
            client.state.sendRate shouldBeGreaterThan 0.89 * before
        }

        test("a time in which all callers sleep their backoff is no refused time") {
            val client = SteadyClient().settledAt(100.0).recovered()
            client.throttle(sentAgo = 20)
            val cut = client.state.sendRate
            repeat(5) { client.throttle(sentAgo = 0) }
            client.pass(millis = 1000)
            client.answer(RateOutcome.ACCEPTED, sentAgo = 20)
            client.state.sendRate shouldBeGreaterThan 0.95 * cut
        }

        test("a refusal that was sent before the first accepted request is still of the old event") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            client.pass(30)
            client.answer(RateOutcome.ACCEPTED, sentAgo = 5)
            val cut = client.state.sendRate
            client.throttle(sentAgo = 10)
            client.state.sendRate shouldBe cut
        }

        test("a server that refuses everything is asked once a second for a minute, then ever more slowly") {
            val client = SteadyClient().settledAt(100.0)
            client.refused(seconds = 30)
            client.state.sendRate shouldBe (1.0 plusOrMinus 1e-9)
            client.refused(seconds = 600)
            client.state.sendRate shouldBe 0.1
        }

        test("a slow client asks a server that refuses everything no more than a tenth as often as it did") {
            val client = SteadyClient().settledAt(4.0)
            client.refused(seconds = 50)
            client.state.sendRate shouldBeLessThan 0.45
        }

        test("after an outage of throttles the first accepted answer allows an eighth of what was lost, at once") {
            val client = SteadyClient().settledAt(100.0)
            client.refused(seconds = 60)
            client.answer(RateOutcome.ACCEPTED, sentAgo = 1)
            client.state.sendRate.shouldBeBetween(8.0, 14.0, 0.0)
            client.serve(seconds = 3.0)
            client.state.sendRate shouldBeGreaterThan 50.0
        }

        test("a throttle while permits were left over takes from the burst and leaves the rate") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            client.serve(seconds = 4.0)
            val before = client.state
            client.take()
            client.throttle(sentAgo = 0)
            client.state.sendRate shouldBe (before.sendRate plusOrMinus 1e-9)
            client.state.capacity shouldBe 1.0
        }

        test("a search that was refused once goes back to the rate that it had reached") {
            val client = SteadyClient().settledAt(100.0).recovered()
            client.serve(seconds = 3.2)
            val reached = client.state.sendRate
            reached shouldBeGreaterThan 120.0
            client.throttle(sentAgo = 0)
            client.state.sendRate shouldBeLessThan 0.95 * reached
            client.serve(seconds = 3.0)
            client.state.sendRate shouldBe (reached plusOrMinus 0.02 * reached)
        }

        test("a search that was refused many times goes back to less") {
            val client = SteadyClient().settledAt(100.0).recovered()
            client.serve(seconds = 3.2)
            val reached = client.state.sendRate
            client.throttle(sentAgo = 0)
            repeat(10) {
                client.pass(10)
                client.throttle(sentAgo = 1)
            }
            client.serve(seconds = 3.0)
            client.state.sendRate shouldBeLessThan 0.95 * reached
        }

        test(
            "a permit that is half saved when an estimate lowers the rate is the same part of the time until the next one",
        ) {
            val client = SteadyClient().settledAt(100.0).recovered()
            val before = client.lowered()
            client.state.sendRate shouldBeLessThan 0.9 * before.sendRate
            client.state.tokensAt(client.time) shouldBe
                (before.tokensAt(client.time) * client.state.sendRate / before.sendRate plusOrMinus 1e-6)
        }

        test("failures hold the rate, and an outage ends where it began") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            client.serve(seconds = 3.0)
            val before = client.state.sendRate
            repeat(3000) {
                client.pass(20)
                client.answer(RateOutcome.FAILED, sentAgo = 20)
            }
            client.state.isHeld shouldBe true
            client.state.sendRate shouldBe before
            client.answer(RateOutcome.ACCEPTED, sentAgo = 20)
            client.state.isHeld shouldBe false
            client.state.sendRate shouldBe (before plusOrMinus 0.1 * before)
        }

        test("under the exact rule a failure counts as before") {
            val on = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            val answers = listOf(RateOutcome.FAILED, RateOutcome.ACCEPTED).map { answer ->
                (1..50).fold(on) { state, number -> state.record(answer, number * 100_000_000L, number * 100_000_000L) }
            }
            answers.first().toString() shouldBe answers.last().toString()
            answers.first().isHeld shouldBe false
        }

        test("after three minutes without a throttle permits are free again, and the next throttle limits again") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            val cut = client.state.sendRate
            client.pass(179_999)
            client.take()
            client.state.enabled shouldBe true
            client.pass(1)
            client.take()
            client.state.enabled shouldBe false
            repeat(1000) { client.take() }
            client.throttle(sentAgo = 20)
            client.state.enabled shouldBe true
            client.state.sendRate shouldBe (cut / 2 plusOrMinus 0.2 * cut)
        }

        test("an outage is no quiet time") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            client.answer(RateOutcome.FAILED, sentAgo = 20)
            client.pass(1_000_000)
            client.take()
            client.state.enabled shouldBe true
        }

        test("one cut leaves at least half of the rate, whatever was measured") {
            val client = SteadyClient().settledAt(100.0)
            val before = client.state.sendRate
            client.throttle(sentAgo = 20)
            client.state.sendRate shouldBeGreaterThanOrEqual before * 0.54 - 1e-9
        }

        test("after a cut the rate is back at what was admitted within four seconds") {
            val client = SteadyClient().settledAt(100.0)
            client.throttle(sentAgo = 20)
            client.serve(seconds = 4.0)
            client.state.sendRate shouldBe (100.0 plusOrMinus 6.0)
        }

        test("a server that has become faster is found out within seconds, even a slow one") {
            val client = SteadyClient().settledAt(1.0)
            client.serve(seconds = 30.0)
            client.state.sendRate shouldBeGreaterThan 10.0
        }

        test("where answers are slow the rate stays at its top for a while before it probes") {
            fun sixSecondsLater(answerMillis: Long) = SteadyClient().settledAt(100.0).run {
                pass(answerMillis)
                throttle(sentAgo = answerMillis)
                serve(seconds = 6.0)
                state.sendRate
            }
            sixSecondsLater(20) shouldBeGreaterThan 105.0
            sixSecondsLater(1000) shouldBeLessThan 102.0
        }

        test("a client that begins in a storm of throttles searches from the least rate upwards") {
            val client = SteadyClient()
            client.pass(20)
            repeat(100) { client.throttle(sentAgo = 20) }
            client.state.sendRate shouldBe 0.1
            client.serve(seconds = 30.0)
            client.state.sendRate shouldBeGreaterThan 50.0
        }

        test("a client goes on from the exact rule's rate when it is told to be steady") {
            var state = SendRateState(SendRateSettings.EXACT, 0).record(throttled = true, sentAt = 0, now = 0)
            state = state.with(SendRateSettings.STEADY)
            repeat(60) { second -> state = state.record(false, second * SECOND, second * SECOND + 1) }
            state.sendRate shouldBeGreaterThan 0.5
        }
    })
