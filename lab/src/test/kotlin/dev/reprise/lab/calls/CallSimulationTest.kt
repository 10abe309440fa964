package dev.reprise.lab.calls

import com.github.ajalt.clikt.testing.test
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Simulation
import dev.reprise.lab.fleet.builtIn
import dev.reprise.lab.fleet.scenario
import dev.reprise.lab.retryLab
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlin.math.pow
import kotlin.math.roundToInt
import kotlin.time.Duration.Companion.milliseconds

/** No quota, so that attempts can be counted. */
private fun free(attempts: Int = 3, wait: Int = 50) = RetryPolicy.HTTP.with {
    maxAttempts = attempts
    quota = null
    backoff = Backoff.fixed(wait.milliseconds)
}

/** The scenario `layers` with fewer [clients], and a server as small. */
private fun layers(clients: Int, vararg changes: Pair<String, Any>) = builtIn(
    "layers",
    "fleet[0].clients" to clients,
    "tiers[0].instances" to (clients + 1) / 2,
    "tiers[1].instances" to (clients + 1) / 2,
    "server.queue.capacity" to clients * 7.5,
    "server.queue.length" to clients * 15,
    *changes,
)

private fun Scenario.run(travels: Travels, policy: RetryPolicy = free()): Result =
    CallSimulation(this, Contestant(policy), travels, seed = 1).run()

class CallSimulationTest :
    FunSpec({
        /** A call a second, through so many [services] to a server that is dead. */
        fun dead(services: Int) = scenario(
            """
            seconds: 2s
            fleet: [{clients: 1, calls: 1, arrivals: even}]
            tiers: [${List(services) { "{name: s$it, attemptTimeout: 60s}" }.joinToString()}]
            server: {latency: 1ms, failures: [{kind: error}]}
            """,
        )

        test(
            "three layers of three attempts send 27 requests to a dead server; 7 where numbers travel, 3 where marks do",
        ) {
            val sent = Travels.entries.map { dead(services = 2).run(it).mostOfCall }
            sent shouldBe listOf(27, 7, 3)
        }

        test("layers multiply where nothing travels, add where numbers do, and do neither where marks do") {
            checkAll(20, Arb.int(0..3), Arb.int(1..4)) { services, attempts ->
                val layers = services + 1
                fun sent(travels: Travels) = dead(services).run(travels, free(attempts, wait = 1)).mostOfCall
                sent(Travels.NOTHING) shouldBe attempts.toDouble().pow(layers).roundToInt()
                sent(Travels.NUMBERS) shouldBe 1 + layers * (attempts - 1)
                sent(Travels.MARKS) shouldBe attempts
            }
        }

        test("after a stall a fleet of layers comes back with marks, and never without") {
            fun stall(clients: Int) =
                layers(clients, "seconds" to "60s", "server.failures" to "[{kind: stall, from: 10s, to: 25s}]")
            stall(4).run(Travels.MARKS).recovery shouldBe 0.0
            stall(2).run(Travels.NUMBERS).recovery shouldBe null
            stall(1).run(Travels.NOTHING).recovery shouldBe null
        }

        test("random failures at the server cost marks the calls that one layer loses: p cubed") {
            for ((share, success) in listOf(0.05 to 0.9999, 0.2 to 0.992)) {
                val errors = layers(clients = 4, "server.failures" to "[{kind: error, share: $share}]")
                errors.run(Travels.MARKS).success shouldBe (success plusOrMinus 0.002)
                errors.run(Travels.NOTHING).success shouldBeGreaterThan 0.9999
            }
        }

        test("calls come from a group as they do where the same fleet is reckoned without the library's loop") {
            val trace = tempfile("trace", ".csv")
            trace.writeText((1..50).joinToString("\n") { "${it * 0.1}" })
            val groups = listOf(
                "clients: 2, trace: '$trace'",
                "clients: 4, calls: 1, arrivals: even, joins: 10s",
                "clients: 1, callers: 1, think: 1s, joins: 10s",
                "clients: 1, calls: 4, arrivals: even, inFlight: 2",
                "clients: 1, callers: 4, inFlight: 2",
            )
            for (group in groups) {
                withClue(group) {
                    val fleet = scenario("{seconds: 20s, fleet: [{$group}], server: {latency: 1001ms}}")
                    val reckoned = Simulation(fleet, Contestant(free()), seed = 1).run()
                    val made = fleet.run(Travels.NOTHING)
                    val calls = reckoned.calls.toDouble()
                    made.calls.toDouble() shouldBe (calls plusOrMinus maxOf(1.0, calls / 100))
                    made.success shouldBe (reckoned.success plusOrMinus 0.01)
                }
            }
        }

        test("the same seed gives the same history") {
            fun history() = layers(clients = 1, "seconds" to "100s")
                .run(Travels.MARKS, RetryPolicy.HTTP).seconds.map {
                    listOf(it.calls, it.attempts, it.succeeded, "${it.p99}")
                }
            history() shouldBe history()
        }

        test("the command prints a row for each of what may travel") {
            val printed = retryLab().test(
                "simulate layers --set server.failures [{\"kind\":\"error\"}] --clients 1 --set seconds 9s http".split(
                    " ",
                ),
            )
            printed.stderr shouldBe ""
            for (row in listOf("nothing travels", "numbers travel", "marks travel")) printed.stdout shouldContain row
        }

        test("tiers have calls that come whatever becomes of those before") {
            val closed = retryLab().test("simulate layers --set fleet [{\"clients\":1,\"callers\":1}] http".split(" "))
            closed.statusCode shouldBe 2
            closed.stderr shouldContain "must have groups with \"calls\""
        }
    })
