package dev.reprise.lab.report

import dev.reprise.lab.input.BadInput
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.readText

/**
 * The output of `--json` of an experiment or a report, or the folder of a report: to be compared with another of its
 * kind.
 */
internal class RunFile private constructor(val name: String, experiments: List<JsonObject>) {
    /** All figures to compare, by their names. */
    val figures: Map<RunFigure.Name, RunFigure> = experiments.flatMap(RunFigures::of).toMap()

    companion object {
        /** The file in the folder of a report that holds its figures. */
        const val IN_FOLDER = "figures.json"

        /** The run that [name] holds, or `null` if that is neither a file nor a folder with one. */
        fun find(name: String): RunFile? {
            val given = Path(name)
            val path = (if (given.isDirectory()) given.resolve(IN_FOLDER) else given).takeIf { it.isRegularFile() }
            val experiments = when (val json = parse(path ?: return null)) {
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
