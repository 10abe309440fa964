package dev.reprise.studies.peers

import com.netflix.concurrency.limits.limit.AIMDLimit
import dev.reprise.lab.fleet.budget.Budget
import dev.reprise.lab.fleet.budget.Peers
import dev.reprise.studies.builtIn
import dev.reprise.studies.file
import dev.reprise.studies.run
import dev.reprise.studies.scenario
import dev.reprise.studies.studies
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.doubles.plusOrMinus
import io.kotest.matchers.doubles.shouldBeGreaterThan
import io.kotest.matchers.doubles.shouldBeLessThan
import io.kotest.matchers.shouldBe

private const val SECOND = 1_000_000_000L

private fun Budget.takes() = tryTake(1, null)

private fun Budget.retriesAllowed(): Int = generateSequence { takes() }.take(10_000).takeWhile { it }.count()

class BudgetTest :
    FunSpec({
        studies()

        test("Finagle's budget allows a hundred retries in ten seconds for nothing, and one for every five calls") {
            var now = 0L
            val idle = WindowBudget(0.2, 10) { now }
            idle.retriesAllowed() shouldBe 100
            now += 10 * SECOND
            idle.retriesAllowed() shouldBe 100
            val busy = WindowBudget(0.2, 10) { now }
            repeat(1_000) { busy.begins() }
            busy.retriesAllowed() shouldBe 300
            now += 11 * SECOND
            busy.retriesAllowed() shouldBe 100
        }

        test("gRPC retries while more than half of its tokens are there, and a success brings a tenth of one") {
            val throttle = GrpcThrottle(10, 0.1)
            repeat(4) { throttle.attemptEnded(1, isGood = false) }
            throttle.takes() shouldBe true
            throttle.attemptEnded(1, isGood = false)
            throttle.takes() shouldBe false
            repeat(2) { throttle.attemptEnded(1, isGood = true) }
            throttle.takes() shouldBe true
        }

        test("Envoy allows three retries at once, and a fifth of the calls in flight") {
            val few = EnvoyBudget(0.2, 3)
            repeat(5) { few.begins() }
            few.retriesAllowed() shouldBe 3
            few.attemptEnded(2, isGood = false)
            few.retriesAllowed() shouldBe 1
            val many = EnvoyBudget(0.2, 3)
            repeat(100) { many.begins() }
            many.retriesAllowed() shouldBe 20
        }

        test("the SRE book's ratio allows one retry for ten requests") {
            val budget = RetryRatio(0.1) { 0 }
            repeat(90) { budget.begins() }
            budget.retriesAllowed() shouldBe 10
        }

        test("in an outage every budget bounds the load of a busy client, and what it bounds it to is its own figure") {
            val outage = builtIn(
                "outage",
                "fleet[0].clients" to 10,
                "fleet[0].calls" to 50,
                "server.queue.capacity" to 750,
            )
            fun load(policy: String) = outage.run(policy).amplification
            load("finagle") shouldBe (1.4 plusOrMinus 0.05)
            load("grpc") shouldBe (1.0 plusOrMinus 0.05)
            load("envoy") shouldBe (1.85 plusOrMinus 0.1)
            // A tenth of all requests, those of the 30 s of peace before among them: 0.1 / 0.9 x 3,000 for 1,500 calls.
            load("sre-ratio") shouldBe (1.22 plusOrMinus 0.02)
            // A hundred retries, which the 30 s of peace have earned, for 1,500 calls.
            load("kora") shouldBe (1.067 plusOrMinus 0.01)
            load("spring") shouldBe (4.0 plusOrMinus 0.2)
            load("standard-2.1") shouldBe (1.02 plusOrMinus 0.02)
            load("standard-2.1@grpc") shouldBe (load("grpc") plusOrMinus 0.05)
        }

        test("the SRE book's throttle sends next to nothing once it has forgotten the time before the outage") {
            val long = builtIn(
                "outage",
                "fleet[0].clients" to 10,
                "fleet[0].calls" to 50,
                "server.failures[0].to" to "170s",
            )
            val seconds = long.run("sre-throttle").seconds
            fun load(from: Int, to: Int) = seconds.subList(from, to).run {
                sumOf { it.attempts }.toDouble() / sumOf { it.calls }
            }
            load(30, 40) shouldBeGreaterThan 2.5
            load(155, 170) shouldBeLessThan 0.2
        }

        test("small clients each have a whole budget, and so all of them together have too much") {
            val outage = builtIn(
                "outage",
                "fleet[0].clients" to 5_000,
                "fleet[0].calls" to 0.1,
                "server.queue.capacity" to 750,
            )
            listOf("standard-2.1", "finagle", "envoy", "kora").forAll {
                outage.run(it).amplification shouldBe (3.0 plusOrMinus 0.1)
            }
        }

        test("Netflix's limit has so many attempts in flight and no more, and a refused one makes it smaller") {
            val limiter = ConcurrencyBudget(AIMDLimit.newBuilder().initialLimit(10).minLimit(1).build())
            repeat(10) { limiter.begins() shouldBe true }
            limiter.begins() shouldBe false
            limiter.takes() shouldBe false
            limiter.sampled(sentAt = 0, now = SECOND / 50, isRefused = false)
            limiter.begins() shouldBe true
            limiter.sampled(sentAt = 0, now = SECOND / 50, isRefused = true)
            limiter.capacity shouldBe 9
        }

        test("a limit of concurrency finds no rate: a server that throttles refuses most of what it sends") {
            val throttle = builtIn("throttle", "fleet[0].callers" to 20, "seconds" to "90s")
            throttle.run("netflix-gradient2").throttled shouldBeGreaterThan 0.5
            throttle.run("netflix-aimd").throttled shouldBeGreaterThan 0.5
            throttle.run("adaptive-steady").throttled shouldBeLessThan 0.1
        }

        test("a dead operation spends its own share of the steady quota, and standard mode's quota of all") {
            val partial = file("partial")
            fun healthyLost(policy: String) = partial.run(policy).lostOn.drop(1).average()
            healthyLost("standard-steady") shouldBeLessThan 0.003
            healthyLost("standard-2.1") shouldBeGreaterThan 0.02
        }

        test("no peer loses calls in peace") {
            val peace = scenario(
                """
                seconds: 60s
                fleet: [{clients: 10, calls: 10}]
                server: {}
                """,
            )
            Peers.all.forAll { peace.run(it.name).lost shouldBe 0 }
        }
    })
