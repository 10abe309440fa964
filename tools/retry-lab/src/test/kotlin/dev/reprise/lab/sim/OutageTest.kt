package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private val fleet =
    OutageScenario(clients = 50, capacity = 100.0, outageStart = 10.0, outageEnd = 70.0, seconds = 100.0)

private val free = RetryPolicy { quota = null }

class OutageTest :
    FunSpec({
        test("every call ends, and the counts add up") {
            for (policy in listOf(RetryPolicy.NONE, RetryPolicy.STANDARD, free)) {
                val result = simulateOutage("p", policy, fleet, seed = 1)
                result.succeeded + result.failed + result.unfinished shouldBe result.calls
                result.failed shouldBe result.seconds.sumOf { it.failed }
            }
        }

        test("in a total outage without a quota the amplification is the attempt limit") {
            val steady = fleet.amplificationOf(free.with { maxAttempts = 4 }, from = 12, to = 70)
            steady shouldBe (4.0 plusOrMinus 0.05)
        }

        test("with a quota it tends to one, once the tokens are gone") {
            // 500 tokens of 14 pay for 35 retries: 17.5 calls of two retries each, at one call a second.
            fleet.amplificationOf(RetryPolicy.STANDARD, from = 45, to = 70) shouldBe (1.0 plusOrMinus 0.05)
        }

        test("a server that fails for a while is served as before afterwards") {
            simulateOutage("p", RetryPolicy.STANDARD, fleet, seed = 1).recovery.shouldNotBeNull() shouldBeLessThan 5
        }

        test("what a simulation does is linear in its clients: twice as many, twice the events") {
            fun events(clients: Int) = simulateOutage(
                "p",
                free,
                OutageScenario(clients, capacity = clients * 1.5, seconds = 100.0),
                seed = 1,
            ).events.toDouble()
            val each = listOf(50, 100, 200, 400).map { events(it) / it }
            each.forEach { it shouldBe (each.last() plusOrMinus each.last() * 0.05) }
        }

        test("the same seed gives the same history") {
            fun history() = simulateOutage("p", RetryPolicy.STANDARD, fleet, seed = 9).seconds.map {
                listOf(it.calls, it.attempts, it.succeeded)
            }
            history() shouldBe history()
        }

        test("a server that never answers needs a policy that does not wait for ever") {
            val stalled =
                OutageScenario(
                    clients = 5,
                    capacity = 10.0,
                    outageStart = 1.0,
                    outageEnd = 5.0,
                    seconds = 10.0,
                    kind = OutageKind.STALL,
                )
            shouldThrow<IllegalArgumentException> { simulateOutage("endless", free, stalled, seed = 1) }
                .message shouldContain "policy endless needs an attemptTimeout or a deadline"
            val cut = simulateOutage("p", free.with { attemptTimeout = 500.milliseconds }, stalled, seed = 1)
            cut.succeeded + cut.failed + cut.unfinished shouldBe cut.calls
        }

        test("scenarios that make no sense are refused with the name, the rule and the value") {
            shouldThrow<IllegalArgumentException> { OutageScenario(capacity = -1.0) }.message shouldBe
                "capacity must be above zero: -1.0"
            shouldThrow<IllegalArgumentException> { OutageScenario(clients = 0) }.message shouldBe
                "clients must be from 1 to 1000000: 0"
            shouldThrow<IllegalArgumentException> { OutageScenario(outageEnd = 500.0) }.message shouldContain
                "outageEnd (--to) must be before the end"
        }

        test("a deadline bounds how long a stalled server holds a call") {
            val stalled =
                OutageScenario(
                    clients = 5,
                    capacity = 10.0,
                    outageStart = 0.0,
                    outageEnd = 18.0,
                    seconds = 20.0,
                    kind = OutageKind.STALL,
                )
            val result = simulateOutage("p", free.with { deadline = 1.seconds }, stalled, seed = 2)
            result.unfinished shouldBeLessThan 12
        }
    })

/** Attempts for each call between two seconds. */
private fun OutageScenario.amplificationOf(policy: RetryPolicy, from: Int, to: Int): Double {
    val span = simulateOutage("p", policy, this, seed = 1).seconds.filter { it.at in from until to }
    return span.sumOf { it.attempts }.toDouble() / span.sumOf { it.calls }
}
