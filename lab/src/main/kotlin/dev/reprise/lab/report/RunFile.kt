package dev.reprise.lab.report

import dev.reprise.lab.experiment.Figure
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.text.decimal
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.readText

/** The output of `--json` of an experiment or a report, or the folder of a report: to be compared with another. */
internal class RunFile private constructor(val name: String, experiments: List<JsonObject>) {
    val figures: Map<RunFigure.Name, RunFigure> = experiments.flatMap(::figures).toMap()

    companion object {
        const val IN_FOLDER = "figures.json"

        /** The run that [name] holds, or `null` if that is neither a file nor a folder with one. */
        fun find(name: String): RunFile? {
            val given = Path(name)
            val path = if (given.isDirectory()) given.resolve(IN_FOLDER) else given
            if (!path.isRegularFile()) return null
            val json = parse(path)
            val experiments = (json as? JsonArray ?: listOf(json)).filterIsInstance<JsonObject>()
            return RunFile(name, experiments).takeIf { experiments.any { "experiment" in it } }
        }

        private fun parse(path: Path): JsonElement? = try {
            Json.parseToJsonElement(path.readText())
        } catch (_: SerializationException) {
            null
        } catch (failure: IOException) {
            throw BadInput("$path: cannot be read: ${failure.javaClass.simpleName}")
        }
    }
}

/** One number of a run: the median over its seeds, and between what they lie. */
internal class RunFigure(val median: Double, private val least: Double = median, private val most: Double = median) {
    /** The identity of a number: its experiment, its policy, and its name, such as `0.05: success`. */
    data class Name(val experiment: String, val policy: String, val figure: String) {
        fun text(value: Double): String = Figure.all[figure.substringAfterLast(": ")]?.text(value)
            ?: if (value.isInfinite()) "never" else decimal(value, if (value % 1 == 0.0) 0 else 3)

        override fun toString(): String = "$experiment: $policy: $figure"
    }

    /** Whether the seeds of this and of [other] gave numbers that overlap, where there were several. */
    fun overlaps(other: RunFigure): Boolean =
        (least != most || other.least != other.most) && least <= other.most && other.least <= most
}

/** The members that distinguish the items of a list; numbers among these are names and no figures. */
private val KEYS =
    setOf("value", "clients", "condition", "attempt", "callsPerClient", "outageSeconds", "attemptTimeoutSeconds")

/** Members for pictures, and counts of the work done. */
private val LEFT_OUT = setOf("policy", "events", "seconds", "runs", "path")

/** The numbers of [experiment], of whichever kind, by name. */
private fun figures(experiment: JsonObject): List<Pair<RunFigure.Name, RunFigure>> =
    (experiment["policies"] as? JsonArray).orEmpty().filterIsInstance<JsonObject>().flatMap { policy ->
        numbers("", policy).map { (figure, value) ->
            RunFigure.Name(experiment["experiment"].text(), policy["policy"].text(), figure) to value
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
