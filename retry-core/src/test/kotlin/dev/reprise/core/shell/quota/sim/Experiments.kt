package dev.reprise.core.shell.quota.sim

import dev.reprise.core.FailureKind
import dev.reprise.core.QuotaSettings

/** The experiments of `docs/research/quota.md`: each runs one fleet with one seed. */
internal object Experiments {
    /** Seconds of peace before trouble begins. */
    private const val PEACE = 60

    /** Attempts for each call while a server is down for [length] seconds: the whole, and the first ten seconds. */
    fun outage(
        settings: QuotaSettings?,
        clients: Int,
        perSecond: Double,
        length: Int,
        seed: Long = 1,
        kind: FailureKind = FailureKind.TRANSIENT,
    ): Pair<Double, Double> {
        val loop = EventLoop(seed)
        val server = FlakyServer(loop) { if (loop.seconds < PEACE) 0.0 else 1.0 }
        val fleet = Fleet(loop, server, clients, perSecond, settings, kind = kind)
        fleet.start()
        loop.runUntil((PEACE + length).toDouble())
        return fleet.seconds.amplification(PEACE, PEACE + length) to fleet.seconds.amplification(PEACE, PEACE + 10)
    }

    /** How a fleet comes back from a stall of 30 s of a server that can serve [perSecond] of its calls divided by [load]. */
    fun stall(
        settings: QuotaSettings?,
        clients: Int,
        perSecond: Double,
        load: Double,
        stall: Stall,
        most: Int = 3,
        seed: Long = 1,
        watch: Int = 150,
    ): StallResult {
        val loop = EventLoop(seed)
        val end = PEACE + 30
        val server = QueueServer(loop, clients * perSecond / load, stall, PEACE.toDouble(), end.toDouble())
        val fleet = Fleet(loop, server, clients, perSecond, settings, most, timeout = 2.0)
        fleet.start()
        loop.runUntil((end + watch).toDouble())
        val seconds = fleet.seconds
        return StallResult(
            seconds.recovery(end, end + watch - 10),
            seconds.amplification(PEACE, end),
            seconds.subList(PEACE, end + watch - 10).sumOf { it.calls - it.good },
        )
    }

    /** Success and attempts of calls that fail independently with [probability], from second [from] to [to] of the trouble. */
    fun independent(
        settings: QuotaSettings?,
        clients: Int,
        perSecond: Double,
        probability: Double,
        from: Int = 0,
        to: Int,
        seed: Long = 1,
        kind: FailureKind = FailureKind.TRANSIENT,
    ): Pair<Double, Double> {
        val loop = EventLoop(seed)
        val server = FlakyServer(loop) { if (loop.seconds < PEACE) 0.0 else probability }
        val fleet = Fleet(loop, server, clients, perSecond, settings, kind = kind)
        fleet.start()
        loop.runUntil((PEACE + to + 5).toDouble())
        return fleet.seconds.success(PEACE + from, PEACE + to) to fleet.seconds.amplification(PEACE + from, PEACE + to)
    }

    /** The share of calls of nine healthy operations that fail while a tenth is dead and one attempt in twenty fails anyhow. */
    fun deadOperation(settings: QuotaSettings?, perSecond: Double, length: Int, seed: Long = 1): Double {
        val loop = EventLoop(seed)
        val server = FlakyServer(loop) { if (it == 0 && loop.seconds >= PEACE) 1.0 else 0.05 }
        val fleet = Fleet(loop, server, 1, perSecond, settings, operations = 10)
        fleet.start()
        loop.runUntil(PEACE.toDouble())
        val calls = fleet.calls.clone()
        val good = fleet.good.clone()
        loop.runUntil((PEACE + length).toDouble())
        val begun = (1..9).sumOf { fleet.calls[it] - calls[it] }
        val ended = (1..9).sumOf { fleet.good[it] - good[it] }
        return 1 - ended.toDouble() / begun
    }
}

/** Seconds until recovery (`null` for never), attempts for each call in the stall, and calls lost. */
internal class StallResult(val recovery: Int?, val amplification: Double, val lost: Int) {
    override fun toString() = "${recovery ?: "never"} s, %.2f, lost $lost".format(amplification)
}
