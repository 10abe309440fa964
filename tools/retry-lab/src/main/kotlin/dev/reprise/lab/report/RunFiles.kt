package dev.reprise.lab.report

import dev.reprise.lab.experiment.Figure
import dev.reprise.lab.input.BadInput
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
import java.util.Locale
import kotlin.io.path.Path
import kotlin.io.path.isRegularFile
import kotlin.io.path.readText

/** What `--json` of a simulation or a report wrote, to be compared with another of its kind. */
internal class RunFile private constructor(val name: String, private val experiments: List<JsonObject>) {
    /** What can be compared: the median of each figure, by experiment, policy and figure. */
    val figures: Map<Row, Double> = experiments.flatMap { experiment ->
        val policies = experiment["policies"] as? JsonArray ?: return@flatMap emptyList()
        policies.filterIsInstance<JsonObject>().flatMap { figures(text(experiment["experiment"]), it) }
    }.toMap()

    data class Row(val experiment: String, val policy: String, val figure: String)

    private fun figures(experiment: String, policy: JsonObject): List<Pair<Row, Double>> {
        val figures = policy["figures"] as? JsonObject ?: return emptyList()
        return Figure.all.keys.mapNotNull { name ->
            val median = (figures[name] as? JsonObject)?.get("median") as? JsonPrimitive ?: return@mapNotNull null
            val value = median.doubleOrNull ?: Double.POSITIVE_INFINITY.takeIf { median.contentOrNull == "never" }
            value?.let { Row(experiment, text(policy["policy"]), name) to it }
        }
    }

    private fun text(element: JsonElement?) = (element as? JsonPrimitive)?.contentOrNull.orEmpty()

    companion object {
        /** The run in the file [name], or `null` if that is no file with one. */
        fun find(name: String): RunFile? {
            val path = Path(name).takeIf { it.isRegularFile() } ?: return null
            val experiments = when (val json = parse(path)) {
                is JsonArray -> json.filterIsInstance<JsonObject>()
                is JsonObject -> listOf(json)
                else -> emptyList()
            }
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

/** The figures that differ between two runs, a row for each: what it is, before, after, and by how much. */
internal object RunComparison {
    val HEADING: List<String> = listOf("figure", "before", "after", "change")

    fun rows(before: RunFile, after: RunFile): List<List<String>> {
        if (before.figures.isEmpty() || after.figures.isEmpty()) {
            throw BadInput(
                "nothing to compare: no figures of a fleet in ${listOf(before, after).first {
                    it.figures.isEmpty()
                }.name}",
            )
        }
        return (before.figures.keys + after.figures.keys).mapNotNull { row ->
            val figure = Figure.all.getValue(row.figure)
            val (was, now) = before.figures[row] to after.figures[row]
            if (was == now) return@mapNotNull null
            listOf(
                "${row.experiment}: ${row.policy}: ${row.figure}",
                was?.let(figure::text) ?: "-",
                now?.let(figure::text) ?: "-",
                change(was, now),
            )
        }
    }

    private fun change(was: Double?, now: Double?): String {
        if (was == null || now == null || was.isInfinite() || now.isInfinite() || was == 0.0) return "-"
        return "%+.1f %%".format(Locale.ROOT, (now / was - 1) * PERCENT)
    }

    private const val PERCENT = 100
}
