package dev.reprise.lab.calls

import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.builtIn
import dev.reprise.lab.fleet.scenario
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.shouldBe

private fun Scenario.run(policy: RetryPolicy): Result =
    CallSimulation(this, Contestant(policy), Travels.NOTHING, seed = 1).run()

private fun hedged(load: Double, policy: RetryPolicy = RetryPolicy.HTTP) = policy.with { hedge = Hedge(load) }

/** Small runs; `retry-lab simulate hedge`, and the scenarios of `workshop/retry-studies`, are the full ones. */
class HedgeExperimentTest :
    FunSpec({
        val stragglers = builtIn("hedge", "fleet[0].calls" to 400, "seconds" to "40s")

        test("copies of 9 % overtake the slow twentieth: p99 falls to a third, for no more than they may cost") {
            val plain = stragglers.run(RetryPolicy.HTTP)
            val hedged = stragglers.run(hedged(0.09))
            plain.latency(99.0) shouldBeGreaterThan 55.0
            hedged.latency(99.0) shouldBeLessThan 20.0
            hedged.latency(50.0) shouldBeLessThan plain.latency(50.0) * 1.02
            hedged.amplification shouldBeLessThan 1.09
        }

        test("at rest copies are at most their share, for clients of 1 and 50 calls a second") {
            for ((calls, seconds) in listOf(1 to "20m", 50 to "120s")) {
                val rest = builtIn("hedge", "fleet[0].calls" to calls, "seconds" to seconds)
                rest.run(hedged(0.02)).amplification shouldBeLessThan 1.022
            }
        }

        test("in an outage small clients with copies make the attempts that they make without") {
            val outage = builtIn("outage", "fleet[0].clients" to 200, "fleet[0].calls" to 0.1, "seconds" to "100s")
            val steady = RetryPolicy.STANDARD_STEADY
            val without = outage.run(steady)
            outage.run(hedged(0.02, steady)).amplification shouldBe without.amplification
            without.amplification shouldBeLessThan 2.0
        }

        test("copies at a saturated server lose, and end") {
            val saturated = scenario(
                """
                seconds: 60s
                warmUp: 30s
                attemptTimeout: 2s
                fleet: [{clients: 4, calls: 45}]
                server: {latency: 1ms, queue: {capacity: 200, workers: 10, length: 400, work: random}}
                """,
            )
            saturated.run(hedged(0.02)).amplification shouldBeLessThan 1.01
        }

        test("the history of hedged calls is that of their seed") {
            fun history() = builtIn("hedge", "fleet[0].calls" to 100, "seconds" to "12s", "warmUp" to "1s")
                .run(hedged(0.05)).seconds.map { listOf(it.calls, it.attempts, it.succeeded, "${it.p99}") }
            history() shouldBe history()
        }
    })
