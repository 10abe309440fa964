package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings
import dev.reprise.virtualtime.Latency
import dev.reprise.virtualtime.RateCondition
import kotlin.math.max
import kotlin.math.roundToInt

/**
 * A [server], and [clients] of so many callers each that always have work for it, or think between two calls. Rates in
 * requests a second, times in seconds.
 */
internal class Condition(
    val server: ServerKind,
    callers: Int,
    clients: Int = 1,
    latency: Latency = USUAL,
    think: Double = 0.0,
    seconds: Double = 300.0,
    countedFrom: Double = 60.0,
    /** When a client starts. */
    val startsAt: (client: Int) -> Double = { 0.0 },
    /** What the limiter of a client is told instead of the fleet's settings; plain standard mode has none. */
    val other: (client: Int) -> Other = { Other.NONE },
    val answers: (seconds: Double) -> Answers = { Answers.USUAL },
    stepAt: Double? = null,
    /** How many seconds late a caller that waits for a permit may wake. */
    val late: Double = 0.0,
    /** Callers begin their calls together, at each whole multiple of this; 0 if each goes on by itself. */
    val together: Double = 0.0,
    /** When a caller begins its first call. */
    val begins: (caller: Int) -> Double = { 0.0 },
    private val name: String = "",
    capacity: (seconds: Double) -> Double,
) : RateCondition(name, callers * clients, clients, latency, think, seconds, countedFrom, stepAt, capacity) {
    constructor(server: ServerKind, capacity: Double, callers: Int, clients: Int = 1) :
        this(server, callers, clients, capacity = { capacity })

    override fun admitted(capacity: Double) = if (server == ServerKind.CONCURRENCY) {
        max(1, (capacity * latency.mean).roundToInt()) / latency.mean
    } else {
        capacity
    }

    /** A client that does not run under the settings in question. */
    enum class Other(val settings: SendRateSettings?) {
        NONE(null),
        EXACT(SendRateSettings.EXACT),
        UNLIMITED(null),
    }

    /** What the server does at a time. */
    enum class Answers { USUAL, BROKEN, THROTTLES }

    override fun toString(): String = name.ifEmpty {
        val rate = capacity(seconds)
        val awake = if (late > 0) ", awake up to ${(late * 1000).roundToInt()} ms late" else ""
        "${server.title}, C ${if (rate < 1) rate else rate.toInt()}, $clients x ${callers / clients} callers, $latency$awake"
    }

    companion object {
        val QUICK = Latency.around(0.002)
        val SLOW = Latency.around(1.0)

        /** 20 ms at least, 60 ms on average, and now and then seconds. */
        val HEAVY = Latency.heavyTailed(least = 0.02, shape = 1.5, most = 10.0)
    }
}
