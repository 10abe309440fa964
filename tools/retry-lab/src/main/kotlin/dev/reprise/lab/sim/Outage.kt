package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.time.UNLIMITED_NANOS
import dev.reprise.coroutines.Retrier
import java.time.Duration

/** A fleet of clients and a server that fails for a while. Times in seconds, rates a second. */
internal class OutageScenario(
    val clients: Int = 1_000,
    val callsPerClient: Double = 1.0,
    val capacity: Double = 1_500.0,
    val latency: Double = 0.02,
    val queueLimit: Int = 3_000,
    val outageStart: Double = 30.0,
    val outageEnd: Double = 60.0,
    val kind: OutageKind = OutageKind.ERROR,
    val seconds: Double = 180.0,
    /** What ends an attempt where the policy names no limit, in s. */
    val attemptTimeout: Double? = null,
) {
    /** Calls of the whole fleet a second. */
    val offered: Double get() = clients * callsPerClient

    init {
        require(clients in 1..Limits.CLIENTS) { "clients must be from 1 to ${Limits.CLIENTS}: $clients" }
        requirePositive("callsPerClient (--calls)", callsPerClient)
        requirePositive("capacity", capacity)
        requireSeconds("seconds", seconds)
        require(offered * seconds <= Limits.CALLS) {
            "clients * callsPerClient * seconds must be at most ${Limits.CALLS}: ${offered * seconds}"
        }
        requireSeconds("latency", latency, Limits.LEAST_LATENCY)
        require(queueLimit >= 1) { "queueLimit (--queue) must be at least 1: $queueLimit" }
        require(outageStart in 0.0..outageEnd) {
            "outageStart (--from) must be from 0 to outageEnd ($outageEnd): $outageStart"
        }
        require(outageEnd < seconds) { "outageEnd (--to) must be before the end ($seconds): $outageEnd" }
        attemptTimeout?.let { requireSeconds("attemptTimeout", it, Limits.LEAST_LATENCY) }
    }
}

/** What one second of a simulation saw. */
internal class Second(val at: Int) {
    /** Calls that began. */
    var calls = 0

    /** Attempts that reached the server. */
    var attempts = 0

    /** Calls that ended well. */
    var succeeded = 0

    /** Calls that ended otherwise. */
    var failed = 0
}

/** What happened to one policy in an [OutageScenario]. */
internal class OutageResult(
    val name: String,
    val scenario: OutageScenario,
    val seconds: List<Second>,
    val unfinished: Int,
    val events: Long,
) {
    val calls = seconds.sumOf { it.calls }
    val attempts = seconds.sumOf { it.attempts }
    val succeeded = seconds.sumOf { it.succeeded }
    val failed = seconds.sumOf { it.failed }

    /** Attempts for each call, while the server was down. */
    val amplification: Double = during(scenario.outageStart, scenario.outageEnd).let { span ->
        span.sumOf { it.attempts }.toDouble() / span.sumOf { it.calls }.coerceAtLeast(1)
    }

    /** The most attempts of any second. */
    val peak: Int = seconds.maxOf { it.attempts }

    /** Seconds from the outage's end until the fleet is served as well as before, over five seconds; `null` if never. */
    val recovery: Int? = seconds.indices
        .filter { it >= scenario.outageEnd && it + WINDOW <= seconds.size }
        .firstOrNull { from ->
            seconds.subList(from, from + WINDOW).sumOf { it.succeeded } >=
                ENOUGH * WINDOW * scenario.offered
        }
        ?.let { it - scenario.outageEnd.toInt() }

    private fun during(from: Double, to: Double) = seconds.filter { it.at >= from && it.at < to }

    private companion object {
        const val WINDOW = 5
        const val ENOUGH = 0.95
    }
}

/** Runs [policy] through [scenario]: every client has a retrier of its own, every call the library's own executor. */
internal fun simulateOutage(
    name: String,
    policy: RetryPolicy,
    scenario: OutageScenario,
    seed: Long,
    onSecond: () -> Unit = {},
): OutageResult {
    val timed = scenario.timed(policy)
    require(scenario.kind != OutageKind.STALL || timed.isTimed) {
        "policy $name needs an attemptTimeout or a deadline (or give --attempt-timeout): a server that never answers " +
            "would hold its calls for ever"
    }
    val world = World(seed)
    val server = QueueServer(world, scenario.capacity, scenario.latency, scenario.queueLimit)
    val seconds = List(scenario.seconds.toInt()) { Second(it) }
    var running = 0

    fun now() = seconds[world.seconds.toInt().coerceAtMost(seconds.size - 1)]

    suspend fun call(retrier: Retrier) {
        now().calls++
        running++
        val outcome = retrier.outcome {
            now().attempts++
            server.ask()
        }
        running--
        if (outcome.reason == StopReason.SUCCESS) now().succeeded++ else now().failed++
    }
    repeat(scenario.clients) {
        val retrier = world.retrier(timed)
        world.start {
            while (true) {
                world.wait(world.exponential(1 / scenario.callsPerClient))
                if (world.seconds >= scenario.seconds) break
                world.start { call(retrier) }
            }
        }
    }
    world.start {
        world.wait(scenario.outageStart)
        server.outage = scenario.kind
        world.wait(scenario.outageEnd - scenario.outageStart)
        server.outage = null
    }
    for (second in 1..seconds.size) {
        world.passTo(second.toDouble())
        onSecond()
    }
    val unfinished = running
    return OutageResult(name, scenario, seconds, unfinished, world.time.happened)
}

/** [policy], with the scenario's attempt timeout if it has none. */
private fun OutageScenario.timed(policy: RetryPolicy): RetryPolicy =
    if (attemptTimeout == null || policy.attemptTimeoutNanos != UNLIMITED_NANOS) {
        policy
    } else {
        policy.toBuilder().attemptTimeout(Duration.ofNanos((attemptTimeout * 1e9).toLong())).build()
    }
