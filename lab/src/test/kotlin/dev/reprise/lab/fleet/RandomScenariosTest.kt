package dev.reprise.lab.fleet

import dev.reprise.core.NoPermit
import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.bind
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Laws that hold whatever the fleet, the server and the policy are. */
class RandomScenariosTest :
    FunSpec({
        val work = Arb.element(
            "calls: 3",
            "callers: 2",
            "callers: 1, think: 100ms",
            "calls: 20, inFlight: 3",
            "calls: 5, arrivals: even",
        )
        val admission = Arb.element(
            "[]",
            "[{type: token-bucket, rate: 20, burst: 3}]",
            "[{type: fixed-window, limit: {0s: 10, 10s: 30}, window: 1s}]",
            "[{type: sliding-window, limit: 10, window: 1s}]",
            "[{type: counting-window, limit: 30, window: 1s}]",
        )
        val queue = Arb.element("null", "{capacity: 15, length: 10}", "{capacity: 40, workers: 3, work: random}")
        val failure = Arb.element("error", "stall", "slow")
        val latency = Arb.element(
            "20ms",
            "{from: 1ms, to: 1s}",
            "{median: 50ms, p99: 3s}",
            "{histogram: {0.9: 10ms, 1: 5s}}",
        )
        val policy = Arb.element(
            RetryPolicy.STANDARD.with { attemptTimeout = 500.milliseconds },
            RetryPolicy.NONE,
            RetryPolicy { quota = null },
            Presets.named("adaptive-2.1"),
            Presets.named("adaptive-steady").with { deadline = 2.seconds },
            Presets.named("adaptive-steady").with { onNoPermit = NoPermit.Fail },
        )
        val scenarios = Arb.bind(work, admission, queue, failure, latency, Arb.int(1..5)) { w, a, q, f, l, clients ->
            scenario(
                """
                seconds: 30s
                attemptTimeout: 1s
                operations: [a, b]
                fleet: [{clients: $clients, $w}]
                server:
                  latency: $l
                  admission: $a
                  concurrency: 8
                  queue: $q
                  throttles: {retryAfter: 1}
                  failures: [{kind: $f, from: 5s, to: 15s, share: 0.8, factor: 3}, {kind: error, operation: b, share: 0.3}]
                """,
            )
        }

        test("a run ends, every call is counted once, and the counts add up") {
            checkAll(60, scenarios, policy, Arb.int(1..1_000)) { scenario, policy, seed ->
                val run = scenario.run(policy, seed.toLong())
                run.succeeded + run.failed + run.unfinished shouldBe run.calls
                run.unfinished shouldBeGreaterThanOrEqual 0
                run.calls shouldBe run.seconds.sumOf { it.calls.toLong() }
                run.succeeded shouldBe run.seconds.sumOf { it.good.toLong() }
                run.seconds.all { it.throttled <= it.attempts && it.good <= it.calls } shouldBe true
            }
        }

        test("the same seed gives the same figures") {
            checkAll(10, scenarios, policy) { scenario, policy ->
                fun figures() = scenario.run(policy, 7).run { listOf(calls, succeeded, failed, events, latency(99.0)) }
                figures() shouldBe figures()
            }
        }
    })
