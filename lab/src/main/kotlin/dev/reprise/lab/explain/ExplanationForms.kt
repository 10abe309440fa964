package dev.reprise.lab.explain

import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.put

/** [nanos] in ms. */
internal fun millis(nanos: Number): Double = nanos.toDouble() / 1e6

/** Writes the members of an explanation; times in ms. */
internal fun Explanation.writeTo(json: JsonObjectBuilder): Unit = with(json) {
    put("kind", kind.name.lowercase())
    put("attempts", attempts)
    putObjects("retries", rows) { row ->
        put("attempt", row.attempt)
        put("ceilingMs", millis(row.ceiling))
        put("smallestMs", millis(row.smallest))
        put("meanMs", millis(row.mean))
        put("p99Ms", millis(row.p99))
        put("largestMs", millis(row.largest))
        put("meanSumMs", millis(row.meanSum))
        put("worstSumMs", millis(row.worstSum))
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
    fun line(label: String, nanos: (Explanation.Row) -> Number) =
        Line(label, listOf(1.0 to 0.0) + rows.map { it.attempt.toDouble() to millis(nanos(it)) })
    return LinePlot(
        name = "explain",
        title = "$name: delay before an attempt",
        x = "attempt",
        y = "ms",
        lines = listOf(
            line("ceilings, summed") { it.worstSum },
            line("means, summed") { it.meanSum },
            line("ceiling") { it.ceiling },
            line("99th percentile") { it.p99 },
            line("mean") { it.mean },
        ),
    )
}
