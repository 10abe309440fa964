package dev.reprise.lab.scenario

import dev.reprise.lab.fleet.Steps
import dev.reprise.lab.input.Document
import dev.reprise.lab.input.entries
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.numberAbove
import dev.reprise.virtualtime.Latency
import kotlinx.serialization.json.JsonPrimitive

/** A number, or an object of numbers by the moment from which on they hold: `{0s: 100, 2m: 50}`. */
internal fun Document.steps(most: Double): Steps {
    if (element is JsonPrimitive) return listOf(0.0 to numberAbove(0.0, most))
    val steps = entries().map { (at, value) ->
        Document(value.path, JsonPrimitive(at)).inSeconds() to value.numberAbove(0.0, most)
    }
    val isInOrder = steps.firstOrNull()?.first == 0.0 && steps.zipWithNext().all { (a, b) -> a.first < b.first }
    return if (isInOrder) steps else wrong("must begin at 0s and go forward in time")
}

/** A server takes time: one that answers at once lets a policy without limit try for ever at one moment. */
internal const val LEAST_LATENCY = 0.001
private const val MOST_SHAPE = 100.0

/** A duration, or a distribution of durations; the reader says so if it is neither. */
internal fun Document.latency(): Latency {
    if (element is JsonPrimitive) return Latency.constant(inSeconds(LEAST_LATENCY))
    val members = members("from", "to", "around", "median", "p99", "least", "shape", "most", "histogram")
    fun required(name: String, least: Double = LEAST_LATENCY) = members.required(name).inSeconds(least)
    return when (listOf("from", "around", "median", "least", "histogram").singleOrNull { it in members }) {
        "from" -> required("from").let { Latency.range(it, required("to", it)) }

        "around" -> Latency.around(required("around"))

        "median" -> required("median").let { Latency.logNormal(it, required("p99", it)) }

        "least" -> required("least").let {
            val shape = members.required("shape").numberAbove(1.0, MOST_SHAPE)
            Latency.heavyTailed(it, shape, required("most", it))
        }

        "histogram" -> members.required("histogram").histogram()

        else -> wrong(
            "must be a duration, or have \"from\" and \"to\", \"around\", \"median\" and \"p99\", " +
                "\"least\", \"shape\" and \"most\", or \"histogram\"",
        )
    }
}

/** Shares and the latency that such a share does not exceed: `{0.5: 20ms, 0.99: 80ms, 1: 2s}`. */
private fun Document.histogram(): Latency {
    val points = entries().map { (share, latency) ->
        val part = share.toDoubleOrNull()?.takeIf { it > 0 && it <= 1 }
            ?: latency.wrong("must belong to a share above 0, at most 1, not to $share:")
        part to latency.inSeconds(LEAST_LATENCY)
    }
    val isRising = points.zipWithNext().all { (a, b) -> a.first < b.first && a.second <= b.second }
    if (!isRising || points.lastOrNull()?.first != 1.0) wrong("must rise, and end with the share 1")
    return Latency.histogram(points)
}
