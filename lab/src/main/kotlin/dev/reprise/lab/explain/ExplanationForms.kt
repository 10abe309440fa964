package dev.reprise.lab.explain

import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

private const val NANOS_PER_MILLI = 1e6

/** Writes the members of an explanation; times in ms. */
internal fun Explanation.writeTo(json: JsonObjectBuilder): Unit = with(json) {
    put("kind", kind.word)
    put("attempts", attempts)
    putObjects("retries", rows) { row ->
        put("attempt", row.attempt)
        put("ceilingMs", row.ceiling / NANOS_PER_MILLI)
        put("smallestMs", row.smallest / NANOS_PER_MILLI)
        put("meanMs", row.mean / NANOS_PER_MILLI)
        put("p99Ms", row.p99 / NANOS_PER_MILLI)
        put("largestMs", row.largest / NANOS_PER_MILLI)
        put("meanSumMs", row.meanSum / NANOS_PER_MILLI)
        put("worstSumMs", row.worstSum / NANOS_PER_MILLI)
    }
    putObjects("capacities", Capacity.of(policy.quota)) { capacity ->
        put("callsPerSecond", capacity.callsPerSecond)
        put("tokens", capacity.tokens)
        put("ofOperation", capacity.ofOperation)
    }
    put("costOfAll", costOfAll)
    put("drainsFrom", JsonPrimitive(drainsFrom))
}

/** The delay before each attempt: its ceiling, mean and 99th percentile, and their sums. */
internal fun Explanation.plot(name: String): LinePlot {
    fun line(label: String, nanos: (Explanation.Row) -> Double) =
        Line(label, listOf(1.0 to 0.0) + rows.map { it.attempt.toDouble() to nanos(it) / NANOS_PER_MILLI })
    return LinePlot(
        name = "explain",
        title = "$name: delay before an attempt",
        x = "attempt",
        y = "ms",
        lines = listOf(
            line("ceilings, summed") { it.worstSum.toDouble() },
            line("means, summed") { it.meanSum },
            line("ceiling") { it.ceiling.toDouble() },
            line("99th percentile") { it.p99.toDouble() },
            line("mean") { it.mean },
        ),
    )
}
