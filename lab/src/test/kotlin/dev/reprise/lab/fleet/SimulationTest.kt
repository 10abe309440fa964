package dev.reprise.lab.fleet

import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe

private val free = RetryPolicy { quota = null }
private const val TEN_FIXED =
    """{"preset":"standard-2.1","quota":null,"maxAttempts":10,"backoff":{"type":"fixed","delay":"75ms"}}"""

private fun Result.amplification(from: Int, to: Int): Double {
    val span = seconds.filter { it.at in from until to }
    return span.sumOf { it.attempts }.toDouble() / span.sumOf { it.calls }
}

private fun Result.history() = seconds.map { listOf(it.calls, it.attempts, it.succeeded, it.failed, "${it.p99}") }

class SimulationTest :
    FunSpec({
        val fleet = builtIn(
            "outage",
            "fleet[0].clients" to 50,
            "server.queue.capacity" to 100,
            "seconds" to "100s",
            "server.failures[0].from" to "10s",
            "server.failures[0].to" to "70s",
        )

        test("in a total outage without a quota the amplification is the attempt limit") {
            fleet.run(free.with { maxAttempts = 4 }).amplification(12, 70) shouldBe (4.0 plusOrMinus 0.05)
        }

        test("with a quota it tends to one, once the tokens are gone") {
            // 500 tokens of 14 pay for 35 retries: 17.5 calls of two retries each, at one call a second.
            fleet.run(RetryPolicy.STANDARD).amplification(45, 70) shouldBe (1.0 plusOrMinus 0.05)
        }

        test("errors in the background without a quota cost what the geometric series says") {
            for (share in listOf(0.1, 0.5)) {
                val run = scenario(
                    """
                    seconds: 20m
                    warmUp: 10m
                    fleet: [{clients: 20, calls: 20}]
                    server: {latency: 20ms, failures: [{kind: error, share: $share}]}
                    """,
                ).run(free)
                run.amplification shouldBe (1 + share + share * share plusOrMinus 0.02)
                run.success shouldBe (1 - share * share * share plusOrMinus 0.01)
            }
        }

        test("a policy sees the same arrivals as any other, and the same seed gives the same history") {
            val (one, two) = fleet.run(free) to fleet.run(RetryPolicy.NONE)
            one.seconds.map { it.calls } shouldBe two.seconds.map { it.calls }
            fleet.run(free).history() shouldBe one.history()
            fleet.run(free, seed = 2).history() shouldNotBe one.history()
        }

        test("a fleet that retries without end against a full queue is dead, and is told to be") {
            // The retries that time out keep the queue full of work that nobody waits for.
            val scenario = builtIn(
                "stall",
                "fleet[0].clients" to 100,
                "server.queue.capacity" to 150,
                "server.queue.length" to 300,
            )
            val dead = scenario.run(TEN_FIXED)
            dead.recovery shouldBe null
            dead.seconds.takeLast(30).sumOf { it.succeeded } shouldBeLessThan 30
            scenario.run(RetryPolicy.NONE).recovery shouldNotBe null
        }

        test("what a simulation does is linear in its clients: twice as many, twice the events") {
            val each = listOf(50, 100, 200).map { clients ->
                val fleet = builtIn(
                    "outage",
                    "fleet[0].clients" to clients,
                    "server.queue.capacity" to clients * 3 / 2,
                    "server.queue.length" to clients * 3,
                )
                fleet.run(free).events.toDouble() / clients
            }
            each.forAll { it shouldBe (each.last() plusOrMinus each.last() * 0.05) }
        }

        test("what queues up in a freeze is worked on after it, and what a stall takes is lost") {
            val kinds = listOf("freeze", "stall").map {
                builtIn(
                    "outage",
                    "server.failures[0].kind" to it,
                    "server.failures[0].to" to "31s",
                ).run(RetryPolicy.NONE)
            }
            kinds[0].lost shouldBe 0
            // A call without any limit that is lost stays in flight to the end.
            kinds[1].unfinished shouldBeGreaterThan 900
            kinds[0].latency(100.0) shouldBeGreaterThan 1_000.0
        }

        test("half of a fleet on a policy of its own keeps it, whatever is tried") {
            fun mixed(policy: String) = scenario(
                """
                seconds: 60s
                fleet:
                  - {clients: 20, calls: 5}
                  - {clients: 20, calls: 5, policy: $policy}
                server:
                  failures: [{kind: error, from: 20s, to: 50s}]
                """,
            ).run(RetryPolicy.NONE)
            mixed("none").amplification shouldBe (1.0 plusOrMinus 0.01)
            mixed("'{\"quota\":null}'").amplification shouldBe (2.0 plusOrMinus 0.05)
        }

        test("clients that join late call only from then on") {
            val run = scenario(
                """
                seconds: 60s
                fleet: [{clients: 100, calls: 1, joins: 10s, over: 40s}]
                server: {}
                """,
            ).run(RetryPolicy.NONE)
            run.seconds.take(10).sumOf { it.calls } shouldBe 0
            val (early, late) = run.seconds.slice(10..29).sumOf { it.calls } to
                run.seconds.slice(50..59).sumOf { it.calls }
            early shouldBeLessThan 700
            late shouldBeGreaterThan 900
        }

        test("a client does not have more calls in flight than it may") {
            val run = scenario(
                """
                seconds: 60s
                fleet: [{clients: 1, calls: 100, inFlight: 10}]
                server: {latency: 1s}
                """,
            ).run(RetryPolicy.NONE)
            run.goodput shouldBe (10.0 plusOrMinus 0.5)
        }

        test("a closed loop makes as many calls as latency and thinking leave it") {
            val run = scenario(
                """
                seconds: 100s
                fleet: [{clients: 2, callers: 5, think: 80ms}]
                server: {latency: 20ms}
                """,
            ).run(RetryPolicy.NONE)
            run.goodput shouldBe (100.0 plusOrMinus 2.0)
        }
    })
