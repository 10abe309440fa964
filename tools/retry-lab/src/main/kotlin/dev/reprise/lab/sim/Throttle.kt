package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason

/** Clients that share nothing and always have work, and a server that admits so many requests a second. */
internal class ThrottleScenario(
    val clients: Int = 10,
    /** What the server admits, in requests a second, from each moment (s) on; the first one from the beginning. */
    val rates: List<Pair<Double, Double>> = listOf(0.0 to 100.0),
    val seconds: Double = 300.0,
    /** What is not counted in the summary, in s: the time in which limiters learn. */
    val warmUp: Double = 60.0,
) {
    init {
        require(clients in 1..Limits.CLIENTS) { "clients must be from 1 to ${Limits.CLIENTS}: $clients" }
        requireSeconds("seconds", seconds)
        require(warmUp >= 0 && warmUp <= seconds - 1) { "warmUp must end a second before the end ($seconds): $warmUp" }
        require(rates.isNotEmpty()) { "rates must not be empty" }
        rates.forEach { (_, rate) -> requirePositive("rate", rate) }
        require(rates.first().first == 0.0 && rates.zipWithNext().all { (a, b) -> a.first < b.first }) {
            "rates must begin at 0 and go forward in time: $rates"
        }
    }

    /** What the server admits at [second]. */
    fun rateAt(second: Double): Double = rates.last { it.first <= second }.second
}

/** What one policy made of a [ThrottleScenario]; counted after the warm-up. */
internal class ThrottleResult(
    val name: String,
    val scenario: ThrottleScenario,
    /** Admitted and throttled attempts of each second. */
    val admitted: IntArray,
    val throttled: IntArray,
    /** Calls of each client that ended well. */
    val served: IntArray,
    val failed: Int,
    val events: Long,
) {
    private val counted = scenario.warmUp.toInt() until admitted.size

    /** Admitted attempts a second. */
    val throughput: Double = counted.sumOf { admitted[it] }.toDouble() / counted.count()

    /** The share of attempts that was throttled. */
    val throttledShare: Double =
        counted.sumOf { throttled[it] }.toDouble() / counted.sumOf { admitted[it] + throttled[it] }.coerceAtLeast(1)

    /** The worst served client against the mean. */
    val fairness: Double = served.min() / served.average().coerceAtLeast(1e-9)
}

/** How long a client waits whose limiter refused it, in s: what a request takes. */
private const val BREATH = 0.02

internal fun simulateThrottle(
    name: String,
    policy: RetryPolicy,
    scenario: ThrottleScenario,
    seed: Long,
    onSecond: () -> Unit = {},
): ThrottleResult {
    val world = World(seed)
    val server = AdmittingServer(world, scenario.rates.first().second)
    val length = scenario.seconds.toInt()
    val admitted = IntArray(length)
    val throttled = IntArray(length)
    val served = IntArray(scenario.clients)
    var failed = 0

    repeat(scenario.clients) { client ->
        val retrier = world.retrier(policy)
        world.start {
            while (true) {
                val outcome = retrier.outcome {
                    server.ask().also { answer ->
                        val second = world.seconds.toInt().coerceAtMost(length - 1)
                        if (answer.isGood) admitted[second]++ else throttled[second]++
                    }
                }
                // Refused without a wait: a client that came back at once would ask for ever at one moment.
                if (outcome.reason == StopReason.RATE_LIMITED) world.wait(BREATH)
                if (world.seconds < scenario.warmUp) continue
                if (outcome.reason == StopReason.SUCCESS) served[client]++ else failed++
            }
        }
    }
    world.start {
        for ((at, rate) in scenario.rates) {
            world.wait(at - world.seconds)
            server.rate = rate
        }
    }
    for (second in 1..length) {
        world.passTo(second.toDouble())
        onSecond()
    }
    return ThrottleResult(name, scenario, admitted, throttled, served, failed, world.time.happened)
}
