package dev.reprise.lab.fleet

/** The result of one simulation. Counts are of the calls that began while it counted. */
internal class Result(
    tally: Tally,
    /** When the figures begin, in s. */
    private val countedFrom: Double,
    /** The time of the failure that a fleet has to recover from, in s; `null` for none. */
    val failure: Failing?,
    /** How many things happened. */
    val events: Long,
) {
    class Failing(val from: Double, val to: Double)

    val seconds: List<Second> = tally.seconds
    val calls: Long = tally.calls
    val succeeded: Long = tally.succeeded
    val failed: Long = tally.failed

    /** Calls that were still in flight at the end. */
    val unfinished: Long = calls - succeeded - failed

    /** Calls that did not end well. */
    val lost: Long = calls - succeeded

    /** The part of the calls that ended well. */
    val success: Double = share(succeeded, calls)

    private val counted = seconds.filter { it.at >= countedFrom }
    private val down = failure?.let { span -> seconds.filter { it.at >= span.from && it.at < span.to } } ?: counted

    /** Attempts for each call while the server fails; all the time if it does not. */
    val amplification: Double = share(down.sumOf { it.attempts.toLong() }, down.sumOf { it.calls.toLong() })

    /** The part of the same calls that did not end well. */
    val loss: Double = 1 - share(down.sumOf { it.good.toLong() }, down.sumOf { it.calls.toLong() }, none = 1.0)

    /** The most attempts that the server had for one call. */
    val mostOfCall: Int = tally.mostOfCall

    /** The most attempts of any second. */
    val peak: Int = seconds.maxOf { it.attempts }

    /** Calls that ended well, a second. */
    val goodput: Double = counted.sumOf { it.succeeded }.toDouble() / counted.size

    /** Attempts that the server did not refuse, a second. */
    val admitted: Double = counted.sumOf { it.attempts - it.throttled }.toDouble() / counted.size

    /** The part of the attempts that the server refused. */
    val throttled: Double = share(counted.sumOf { it.throttled.toLong() }, counted.sumOf { it.attempts.toLong() })

    /** The smallest part of its calls that any client got served. */
    val worstClient: Double =
        tally.callsOf.indices.filter { tally.callsOf[it] > 0 }
            .minOfOrNull { share(tally.goodOf[it].toLong(), tally.callsOf[it].toLong()) } ?: 1.0

    /** Calls served of the worst served client against the mean. */
    val fairness: Double = tally.goodOf.min() / tally.goodOf.average().coerceAtLeast(1e-9)

    /** The part of its calls that was lost, by number of the operation; NaN for one that was not called. */
    val lostOn: List<Double> = tally.callsOn.indices.map {
        if (tally.callsOn[it] == 0) Double.NaN else 1 - tally.goodOn[it].toDouble() / tally.callsOn[it]
    }

    /** How long calls took that ended well, in ms: its mean. */
    val meanLatency: Double = tally.latency.mean / MICROS_PER_MILLI

    private val percentiles = PERCENTILES.associateWith { tally.latency.getValueAtPercentile(it) / MICROS_PER_MILLI }

    /** How long [percent] of the calls took at most that ended well, in ms; one of [PERCENTILES]. */
    fun latency(percent: Double): Double = percentiles.getValue(percent)

    /** Seconds until the fleet is served as before, for good; `null` for never, NaN where there is nothing to recover from. */
    val recovery: Double? = if (failure == null) Double.NaN else Recovery.of(seconds, failure.from, failure.to)

    internal companion object {
        /** From the first to the last moment of what goes wrong for a while and comes right again; `null` for nothing. */
        fun failing(scenario: Scenario): Failing? {
            val passing = scenario.server.failures.filter { it.to != null }
            return if (passing.isEmpty()) null else Failing(passing.minOf { it.from }, passing.maxOf { it.to!! })
        }

        val PERCENTILES = listOf(50.0, 90.0, 99.0, 99.9, 100.0)
        private const val MICROS_PER_MILLI = 1e3

        private fun share(part: Long, whole: Long, none: Double = 0.0) =
            if (whole == 0L) none else part.toDouble() / whole
    }
}
