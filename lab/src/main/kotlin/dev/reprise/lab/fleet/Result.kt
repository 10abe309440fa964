package dev.reprise.lab.fleet

/**
 * The result of one simulation: the numbers that [Figure][dev.reprise.lab.experiment.Figure] describes, shares as parts of
 * one. Counts are of the calls that began while it counted.
 */
internal class Result(
    tally: Tally,
    scenario: Scenario,
    val events: Long,
    /** Whether the policy that was tried has a send rate. */
    val isPaced: Boolean,
) {
    private class Failing(val from: Double, val to: Double)

    /** From the first to the last moment of what goes wrong for a while and comes right again, in s; `null` for nothing. */
    private val failing = scenario.server.failures.filter { it.to != null }.takeIf { it.isNotEmpty() }
        ?.let { passing -> Failing(passing.minOf { it.from }, passing.maxOf { it.to!! }) }

    val seconds: List<Second> = tally.seconds
    val calls: Long = tally.calls
    val succeeded: Long = tally.succeeded
    val failed: Long = tally.failed
    val unfinished: Long = calls - succeeded - failed
    val lost: Long = calls - succeeded
    val success: Double = share(succeeded, calls)

    private val counted = seconds.filter { it.at >= scenario.warmUp }
    private val down = failing?.let { span -> seconds.filter { it.at >= span.from && it.at < span.to } } ?: counted

    val amplification: Double = share(down.sumOf { it.attempts.toLong() }, down.sumOf { it.calls.toLong() })
    val loss: Double = 1 - share(down.sumOf { it.good.toLong() }, down.sumOf { it.calls.toLong() }, none = 1.0)
    val mostOfCall: Int = tally.mostOfCall
    val peak: Int = seconds.maxOf { it.attempts }
    val goodput: Double = counted.sumOf { it.succeeded }.toDouble() / counted.size
    val admitted: Double = counted.sumOf { it.attempts - it.throttled }.toDouble() / counted.size
    val throttled: Double = share(counted.sumOf { it.throttled.toLong() }, counted.sumOf { it.attempts.toLong() })
    val worstClient: Double = tally.callsOf.indices.filter { tally.callsOf[it] > 0 }
        .minOfOrNull { share(tally.goodOf[it].toLong(), tally.callsOf[it].toLong()) } ?: 1.0
    val fairness: Double = tally.goodOf.min() / tally.goodOf.average().coerceAtLeast(1e-9)

    /** The part of its calls that was lost, by number of the operation; NaN for one that was not called. */
    val lostOn: List<Double> = tally.callsOn.indices.map {
        if (tally.callsOn[it] == 0) Double.NaN else 1 - tally.goodOn[it].toDouble() / tally.callsOn[it]
    }

    /** How long calls took that ended well, in ms. */
    val meanLatency: Double = tally.latency.mean / MICROS_PER_MILLI
    private val percentiles = PERCENTILES.associateWith { tally.latency.getValueAtPercentile(it) / MICROS_PER_MILLI }

    /** How long [percent] of the calls took at most that ended well, in ms. */
    fun latency(percent: Double): Double = percentiles.getValue(percent)

    /** Seconds until the fleet is served as before, for good; `null` for never, NaN where there is nothing to recover from. */
    val recovery: Double? = if (failing == null) Double.NaN else Recovery.of(seconds, failing.from, failing.to)

    private companion object {
        val PERCENTILES = listOf(50.0, 90.0, 99.0, 99.9, 100.0)
        const val MICROS_PER_MILLI = 1e3

        fun share(part: Long, whole: Long, none: Double = 0.0) = if (whole == 0L) none else part.toDouble() / whole
    }
}
