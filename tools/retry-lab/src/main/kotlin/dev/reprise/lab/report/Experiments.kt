package dev.reprise.lab.report

import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.FailureKind
import dev.reprise.lab.explain.Explanation
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.sim.Occ
import dev.reprise.lab.sim.OutageKind
import dev.reprise.lab.sim.OutageResult
import dev.reprise.lab.sim.OutageScenario
import dev.reprise.lab.sim.ThrottleScenario
import dev.reprise.lab.sim.simulateOutage
import dev.reprise.lab.sim.simulateThrottle
import java.time.Duration
import java.util.Locale

/** The experiments of a report over [policies] by label; each is one [Section]. [size] shrinks them all, from 1 down. */
internal class Experiments(
    private val policies: Map<String, RetryPolicy>,
    private val seed: Long,
    private val size: Double = 1.0,
) {
    init {
        require(size > 0 && size <= 1) { "size must be above 0 and at most 1: $size" }
        require(policies.isNotEmpty()) { "there must be a policy" }
    }

    /** By title, in the order of the page; run one at a time. */
    val all: List<Pair<String, () -> Section>> =
        listOf(
            "delays" to ::delays,
            "outage" to ::outage,
            "stall" to ::stall,
            "throttle" to ::throttle,
            "conflicts" to ::conflicts,
        )

    private fun delays(): Section {
        val explained = policies.mapValues { (_, policy) -> Explanation(policy, FailureKind.TRANSIENT, SAMPLES, seed) }
        val lines =
            explained
                .map { (name, it) ->
                    Line(name, it.rows.map { row -> row.attempt.toDouble() to row.meanSum / MILLION })
                }
                .filter { it.points.isNotEmpty() }
        return Section(
            title = "What a call that keeps failing waits",
            words = "The mean time that a call has waited before each attempt, in ms, after transient failures.",
            plots = mapOf("delays" to LinePlot("Waiting before an attempt", "attempt", "ms", lines).svg()),
            heading = listOf("policy", "attempts", "mean wait ms", "worst wait ms", "tokens", "quota dry above"),
            rows = explained.map { (name, it) ->
                listOf(
                    name,
                    "${it.attempts}",
                    number(it.rows.lastOrNull()?.meanSum?.div(MILLION) ?: 0.0),
                    number((it.rows.lastOrNull()?.worstSum ?: 0) / MILLION),
                    "${it.costOfAll}",
                    it.drainsFrom?.let { share -> "${number(share * 100)} %" } ?: "never",
                )
            },
        )
    }

    private fun outage(): Section = outage(
        kind = OutageKind.ERROR,
        file = "outage",
        title = "A server that fails for a minute",
        words =
        "A thousand clients make a call a second each. From second 30 to 90 the server answers every request with a " +
            "500. The lines show the attempts that reach it each second: what a policy adds to a fire.",
        policies = policies,
    )

    private fun stall(): Section = outage(
        kind = OutageKind.STALL,
        file = "stall",
        title = "A server that stops answering",
        words = "The same fleet, and a server that takes every request and answers none. Attempts last 2 s.",
        policies = policies.mapValues { (_, policy) -> policy.toBuilder().attemptTimeout(TWO_SECONDS).build() },
    )

    private fun outage(
        kind: OutageKind,
        file: String,
        title: String,
        words: String,
        policies: Map<String, RetryPolicy>,
    ): Section {
        val scenario =
            OutageScenario(
                clients = scaled(1_000),
                capacity = 1_500.0 * size,
                outageEnd = 90.0,
                seconds = 180.0,
                kind = kind,
            )
        val results = policies.map { (name, policy) -> simulateOutage(name, policy, scenario, seed) }
        val lines =
            results.map { result ->
                Line(result.name, result.seconds.map { it.at.toDouble() to it.attempts.toDouble() })
            }
        return Section(
            title = title,
            words = words,
            plots = mapOf(file to LinePlot("Attempts at the server", "second", "attempts a second", lines).svg()),
            heading = listOf("policy", "calls", "attempts per call, down", "peak attempts/s", "lost", "recovery s"),
            rows = results.map(::row),
        )
    }

    private fun row(result: OutageResult) = listOf(
        result.name,
        "${result.calls}",
        number(result.amplification),
        "${result.peak}",
        "${result.failed}",
        "${result.recovery ?: "never"}",
    )

    private fun throttle(): Section {
        val scenario = ThrottleScenario(clients = 10, rates = listOf(0.0 to 100.0, 120.0 to 50.0), seconds = 240.0)
        val results = policies.map { (name, policy) -> simulateThrottle(name, policy, scenario, seed) }
        val lines =
            results.map { result ->
                Line(result.name, result.throttled.withIndex().map { (second, n) -> second.toDouble() to n.toDouble() })
            }
        return Section(
            title = "A server that admits a hundred requests a second, then fifty",
            words =
            "Ten clients that always have work and share nothing. The lines show how many attempts are turned away " +
                "each second: work that nobody wanted.",
            plots = mapOf("throttle" to LinePlot("Throttled attempts", "second", "attempts a second", lines).svg()),
            heading = listOf("policy", "admitted/s", "throttled", "worst/mean client", "calls lost"),
            rows = results.map {
                listOf(
                    it.name,
                    number(it.throughput),
                    "${number(it.throttledShare * 100)} %",
                    number(it.fairness),
                    "${it.failed}",
                )
            },
        )
    }

    private fun conflicts(): Section {
        val clients = (10..190 step 30).toList()
        val results = policies.mapValues { (_, policy) -> clients.map { Occ(policy, it).runs(scaled(20), seed) } }
        val lines = results.map { (name, all) -> Line(name, all.map { it.clients.toDouble() to it.calls.mean }) }
        return Section(
            title = "Clients that fight over one row",
            words = "The experiment of the AWS architecture blog: every client wants to write the same row once, and " +
                "tries until it wins. Only a policy's backoff counts here.",
            plots = mapOf("conflicts" to LinePlot("Writes that the server sees", "clients", "writes", lines).svg()),
            heading = listOf("policy") + clients.map { "$it clients" },
            rows = results.map { (name, all) -> listOf(name) + all.map { number(it.calls.mean) } },
        )
    }

    private fun scaled(n: Int) = (n * size).toInt().coerceAtLeast(1)

    private fun number(value: Double): String = "%,.1f".format(Locale.ROOT, value)

    private companion object {
        const val SAMPLES = 2_000
        const val MILLION = 1e6
        val TWO_SECONDS: Duration = Duration.ofSeconds(2)
    }
}
