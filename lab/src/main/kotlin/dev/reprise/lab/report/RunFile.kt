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
internal class RunFigure(val median: Double, private val least: Double, private val most: Double) {
    /** The identity of a number: its experiment, its policy, and its name, such as `marks travel: success`. */
    data class Name(val experiment: String, val policy: String, val figure: String) {
        fun text(value: Double): String = Figure.all[figure.substringAfterLast(": ")]?.text(value) ?: decimal(value, 3)

        override fun toString(): String = "$experiment: $policy: $figure"
    }

    /** Whether the seeds of this and of [other] gave numbers that overlap, where there were several. */
    fun overlaps(other: RunFigure): Boolean =
        (least != most || other.least != other.most) && least <= other.most && other.least <= most
}

/** The numbers of [experiment] by name: those of each policy, of marks that travel in a scenario with tiers. */
private fun figures(experiment: JsonObject): List<Pair<RunFigure.Name, RunFigure>> =
    experiment["policies"].objects().flatMap { policy ->
        val parts = policy["travels"].objects().associateBy {
            "${it["value"].text()}: "
        }.ifEmpty { mapOf("" to policy) }
        parts.flatMap { (part, runs) ->
            (runs["figures"] as? JsonObject).orEmpty().map { (figure, value) ->
                val name = RunFigure.Name(experiment["experiment"].text(), policy["policy"].text(), part + figure)
                name to spread(value as? JsonObject ?: JsonObject(emptyMap()))
            }
        }
    }

private fun spread(figure: JsonObject) =
    RunFigure(value(figure["median"]), value(figure["least"]), value(figure["most"]))

/** The number, infinite for never; NaN for none. */
private fun value(element: JsonElement?): Double {
    val primitive = element as? JsonPrimitive ?: return Double.NaN
    return if (primitive.isString) Double.POSITIVE_INFINITY else primitive.doubleOrNull ?: Double.NaN
}

private fun JsonElement?.objects() = (this as? JsonArray).orEmpty().filterIsInstance<JsonObject>()

private fun JsonElement?.text() = (this as? JsonPrimitive)?.contentOrNull.orEmpty()
