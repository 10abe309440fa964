package dev.reprise.lab.fleet

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.fleet.budget.BudgetMaker
import dev.reprise.virtualtime.Latency

/**
 * A fleet, a server and its events: the content of a scenario file, apart from the contestants. Times in seconds, rates
 * a second. A value; the reader of the file has checked every part of it.
 */
internal class Scenario(
    val name: String,
    val title: String,
    val about: String,
    val seconds: Double,
    /** The time in which limiters learn, left out of the figures. */
    val warmUp: Double,
    /** The limit of an attempt where the policy names none; `null` for no limit. */
    val attemptTimeout: Double?,
    /** The names of the operations; at least one. */
    val operations: List<String>,
    val fleet: List<Group>,
    /** The services between the fleet and the server, from the outermost in; mostly none. */
    val tiers: List<Tier>,
    /** How many calls are made at once for each that is counted: it ends with the last of them. */
    val fanOut: Int,
    val server: ServerModel,
) {
    val clients: Int get() = fleet.sumOf { it.clients }

    /** Whether some callers wait for the end of a call before they make the next: who fails sooner then asks sooner. */
    val isClosedLoop: Boolean get() = fleet.any { it.callers > 0 }

    /** Calls a second that are offered, as far as that is known before: open loops only. */
    val offered: Double get() = fleet.sumOf { it.clients * (it.calls ?: 0.0) }
}

internal class Group(
    val clients: Int,
    /** Calls a second of each client, whether or not the ones before have ended; `null` for callers or a trace. */
    val calls: Double?,
    /** Whether those calls come evenly instead of at random. */
    val isEven: Boolean,
    /** Callers of each client, each with one call after another; 0 for an open loop. */
    val callers: Int,
    /** The time that a caller thinks between two calls, on average. */
    val think: Double,
    /** The calls of all clients in the order of time; `null` for calls or callers. */
    val trace: List<Arrival>?,
    val joins: Double,
    /** The time over which all of them join, one after another. */
    val over: Double,
    /** The policy of these clients whatever is tried; `null` for the one that is tried. */
    val policy: Contestant?,
    /** The share of each operation, by number; sums to 1. */
    val mix: List<Double>,
    /** The most calls that one client has in flight. */
    val inFlight: Int,
)

/** A contestant: a policy, and a budget that pays for its retries in place of the policy's own quota. */
internal class Contestant(
    val policy: RetryPolicy,
    /** Makes the budget of each client; `null` for the policy's quota. */
    val budget: BudgetMaker? = null,
)

/** A service that calls the next one, or the server, for each request. */
internal class Tier(
    val name: String,
    /** How many there are, each with a quota of its own. */
    val instances: Int,
    /** How long a request to it may take its caller, in seconds. */
    val attemptTimeout: Double,
)

/** A call that was recorded: its moment in ns, and the number of its operation, or `null` for any. */
internal class Arrival(val at: Long, val operation: Int?)

/** A server of parts; what is `null` or empty is not there. */
internal class ServerModel(
    val latency: Latency,
    val admission: List<AdmissionRule>,
    /** The most requests that are in progress at once. */
    val concurrency: Int?,
    /** The number of requests in progress that doubles the latency. */
    val doublesAt: Int?,
    val queue: QueueModel?,
    /** The answer to a request that admission or concurrency refuses. */
    val throttled: Answer,
    /** The answer to a request that finds the queue full. */
    val busy: Answer,
    val failures: List<Failure>,
)

/** Workers behind a queue. */
internal class QueueModel(
    /** Requests a second, all workers together. */
    val capacity: Steps,
    val workers: Int,
    /** The most requests that wait; one more is turned away. */
    val length: Int,
    /** Whether the work of a request is exponentially distributed (M/M/c) instead of always the same (M/D/c). */
    val isRandom: Boolean,
)
