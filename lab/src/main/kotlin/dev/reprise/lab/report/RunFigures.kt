package dev.reprise.lab.report

import dev.reprise.lab.experiment.Figure
import dev.reprise.lab.text.decimal
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull

/** One number of a run: the median over its seeds, and between what they lie. */
internal class RunFigure(val median: Double, val least: Double = median, val most: Double = median) {
    /** The identity of a number: its experiment, its policy, and its name, such as `0.05: success`. */
    data class Name(val experiment: String, val policy: String, val figure: String) {
        /** [value] as tables show this number. */
        fun text(value: Double): String = when (val known = Figure.all[figure.substringAfterLast(": ")]) {
            null -> if (value.isInfinite()) "never" else decimal(value, if (value % 1 == 0.0) 0 else DIGITS)
            else -> known.text(value)
        }

        override fun toString(): String = "$experiment: $policy: $figure"
    }

    /** Whether the seeds of this and of [other] gave numbers that overlap, where there were several. */
    fun overlaps(other: RunFigure): Boolean =
        (least != most || other.least != other.most) && least <= other.most && other.least <= most

    private companion object {
        const val DIGITS = 3
    }
}

/** Finds the numbers in the JSON of an experiment, of whichever kind. */
internal object RunFigures {
    /** The members that distinguish the items of a list; numbers among these are names and no figures. */
    private val KEYS = setOf(
        "value",
        "clients",
        "condition",
        "attempt",
        "callsPerClient",
        "outageSeconds",
        "attemptTimeoutSeconds",
    )

    /** Members for pictures, and counts of the work done. */
    private val LEFT_OUT = setOf("policy", "events", "seconds", "runs", "path")

    /** The numbers of [experiment], by name. */
    fun of(experiment: JsonObject): List<Pair<RunFigure.Name, RunFigure>> {
        val policies = experiment["policies"] as? JsonArray ?: return emptyList()
        val name = experiment["experiment"].text()
        return policies.filterIsInstance<JsonObject>().flatMap { policy ->
            numbers("", policy).map { (figure, value) ->
                RunFigure.Name(name, policy["policy"].text(), figure) to value
            }
        }
    }

    private fun numbers(path: String, element: JsonElement): List<Pair<String, RunFigure>> = when (element) {
        is JsonObject -> spread(element)?.let { listOf(path to it) } ?: members(path, element)
        is JsonArray -> element.filterIsInstance<JsonObject>().flatMap { members(path + key(it), it) }
        is JsonPrimitive -> listOfNotNull(value(element)?.let { path to RunFigure(it) })
    }

    private fun members(path: String, element: JsonObject) = element.filterKeys { it !in LEFT_OUT }
        .filter { (name, value) -> name !in KEYS || value is JsonArray }
        .flatMap { (name, value) -> numbers(if (isHolder(value)) path else path + name, value) }

    /** Objects and lists only hold figures; the member itself names the figure. */
    private fun isHolder(value: JsonElement) = value is JsonArray || (value is JsonObject && spread(value) == null)

    private fun key(item: JsonObject): String =
        item.filterKeys { it in KEYS }.values.joinToString(", ") { it.text() }.let { if (it.isEmpty()) "" else "$it: " }

    private fun spread(element: JsonObject): RunFigure? {
        if ("median" !in element) return null
        val median = value(element["median"]) ?: return RunFigure(Double.NaN)
        return RunFigure(median, value(element["least"]) ?: median, value(element["most"]) ?: median)
    }

    private fun value(element: JsonElement?): Double? {
        val primitive = element as? JsonPrimitive ?: return null
        if (primitive.isString) return Double.POSITIVE_INFINITY.takeIf { primitive.content == "never" }
        return primitive.doubleOrNull
    }

    private fun JsonElement?.text() = (this as? JsonPrimitive)?.contentOrNull.orEmpty()
}
