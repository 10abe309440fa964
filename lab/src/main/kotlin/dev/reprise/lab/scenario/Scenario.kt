package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.client.Trace
import dev.reprise.lab.fleet.server.Failure
import dev.reprise.lab.fleet.server.Latency

/**
 * A fleet, a server and what happens to it: what a scenario file describes, apart from the policies that are tried. Times in
 * seconds, rates a second. A value; [ScenarioReader] has checked every part of it.
 */
internal class Scenario(
    val name: String,
    val title: String,
    /** What is tried, in a sentence or two. */
    val about: String,
    val seconds: Double,
    /** What the figures leave out: the time in which limiters learn. */
    val warmUp: Double,
    /** What ends an attempt where the policy names no limit; `null` for nothing. */
    val attemptTimeout: Double?,
    /** The names of the operations; at least one. */
    val operations: List<String>,
    val fleet: List<Group>,
    val server: ServerModel,
) {
    /** Clients of all groups. */
    val clients: Int get() = fleet.sumOf { it.clients }

    /** Calls a second that are offered, as far as that is known before: open loops only. */
    val offered: Double get() = fleet.sumOf { it.clients * (it.calls ?: 0.0) }

    /**
     * The same scenario with [share] of its clients, and with [share] of everything at the server that has a rate or a length:
     * so each client sees what it saw before.
     */
    fun scaled(share: Double): Scenario {
        require(share > 0 && share <= 1) { "size must be above 0 and at most 1: $share" }
        if (share == 1.0) return this
        return Scenario(
            name,
            title,
            about,
            seconds,
            warmUp,
            attemptTimeout,
            operations,
            fleet.map { it.scaled(share) },
            server.scaled(share),
        )
    }
}

/** Clients that are alike. */
internal class Group(
    val name: String,
    val clients: Int,
    /** Calls a second of each client, whether or not the ones before have ended; `null` for callers or a trace. */
    val calls: Double?,
    /** Whether those calls come evenly instead of at random. */
    val isEven: Boolean,
    /** Callers of each client, each with one call after another; 0 for an open loop. */
    val callers: Int,
    /** How long a caller thinks between two calls, on average. */
    val think: Double,
    val trace: Trace?,
    /** When the first client joins. */
    val joins: Double,
    /** The time over which all of them join, one after another. */
    val over: Double,
    /** What these clients use whatever policy is tried; `null` for the one that is tried. */
    val policy: Contestant?,
    /** How much of each operation they call, by number; sums to 1. */
    val mix: List<Double>,
    /** The most calls that one client has in flight. */
    val inFlight: Int,
) {
    fun scaled(share: Double) = Group(
        name,
        (clients * share).toInt().coerceAtLeast(1),
        calls,
        isEven,
        callers,
        think,
        trace?.thinned(share),
        joins,
        over,
        policy,
        mix,
        inFlight,
    )
}

/** A server of parts; what is `null` or empty is not there. */
internal class ServerModel(
    val latency: Latency,
    val admission: List<AdmissionModel>,
    val concurrency: Int?,
    val doublesAt: Int?,
    val queue: QueueModel?,
    val throttles: Refusal,
    val busy: Refusal,
    val failures: List<FailureModel>,
) {
    fun scaled(share: Double) = ServerModel(
        latency,
        admission.map { it.scaled(share) },
        concurrency?.let { scaled(it, share) },
        doublesAt?.let { scaled(it, share) },
        queue?.scaled(share),
        throttles,
        busy,
        failures,
    )
}

/** A number by the moment from which on it holds, in s; the first from 0 on. */
internal typealias Steps = List<Pair<Double, Double>>

/** Who is admitted. */
internal sealed class AdmissionModel {
    abstract fun scaled(share: Double): AdmissionModel

    class TokenBucket(val rate: Steps, val burst: Double) : AdmissionModel() {
        override fun scaled(share: Double) = TokenBucket(rate.scaled(share), maxOf(1.0, burst * share))
    }

    class FixedWindow(val limit: Steps, val window: Double) : AdmissionModel() {
        override fun scaled(share: Double) = FixedWindow(limit.scaled(share), window)
    }

    class SlidingWindow(val limit: Steps, val window: Double, val countsRefusals: Boolean) : AdmissionModel() {
        override fun scaled(share: Double) = SlidingWindow(limit.scaled(share), window, countsRefusals)
    }
}

/** Workers behind a queue. */
internal class QueueModel(val capacity: Steps, val workers: Int, val length: Int, val isRandom: Boolean) {
    fun scaled(share: Double) = QueueModel(capacity.scaled(share), workers, scaled(length, share), isRandom)
}

/** How a request is turned away. */
internal class Refusal(val status: Int, val code: String?, val retryAfter: String?)

/** A time in which the server fails; [to] is `null` for a failure that stays. */
internal class FailureModel(
    val kind: Failure.Kind,
    val from: Double,
    val to: Double?,
    val share: Double,
    val operation: Int?,
    val factor: Double,
)

private fun Steps.scaled(share: Double): Steps = map { (at, value) -> at to value * share }

private fun scaled(count: Int, share: Double) = Math.round(count * share).toInt().coerceAtLeast(1)
