package dev.reprise.lab.experiment

import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.arguments.PolicyArgument
import dev.reprise.lab.input.checked
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.YamlText
import dev.reprise.lab.scenario.with
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import java.math.BigDecimal
import java.nio.file.Path

/** An experiment that a scenario file describes: options change members of the file, and it can be printed. */
abstract class ScenarioCommand(name: String) : ExperimentCommand(name) {
    private val size by option(
        "--size",
        help = "the part of the fleet, and of the server, to simulate: above 0 up to 1",
    )
        .double()
    private val seeds by option("--seeds", help = "how many seeds to run: the table shows medians and spreads").int()
    private val set by option(
        "--set",
        metavar = "PATH VALUE",
        help = "changes one member of the scenario; may be repeated",
    )
        .pair().multiple()
    private val printScenario by option("--print-scenario", help = "print the scenario instead of running it").flag()

    /** Where the files lie that the scenario names. */
    protected open val folder: Path get() = Path.of("")

    /** The scenario as it is written down. */
    internal abstract fun written(): JsonObject

    /** What the command's own options change in it. */
    internal open fun changes(): Changes = Changes()

    override fun run() {
        if (!printScenario) return super.run()
        echo(YamlText.print(checked { document() }), trailingNewline = false)
    }

    override fun experiment(): Experiment<*> = experimentOf(ScenarioFileReader(folder), document())

    private fun document(): JsonObject {
        val changes = changes().apply {
            number("size", size)
            whole("seeds", seeds)
            set.forEach { (path, value) -> value(path, YamlText.parse(value)) }
        }
        val document = changes.all.entries.fold(written()) { document, (path, value) -> document.with(path, value) }
        if (policies.isEmpty()) return document
        // The policies of the command line take the place of the file's.
        val named = PolicyArgument.labelled(policies).mapValues { JsonPrimitive(it.value) }
        return JsonObject(document + ("policies" to JsonObject(named)))
    }
}

/** Values that take the place of others in a scenario file, by path; what is `null` changes nothing. */
internal class Changes {
    private val changed = LinkedHashMap<String, JsonElement>()

    /** All of them. */
    val all: Map<String, JsonElement> get() = changed

    fun whole(path: String, value: Int?) = value?.let { value(path, JsonPrimitive(it)) }

    fun number(path: String, value: Double?) = value?.let { value(path, number(it)) }

    fun seconds(path: String, value: Double?) = value?.let { value(path, JsonPrimitive(secondsText(it))) }

    fun wholes(path: String, values: List<Int>?) = values?.let { all ->
        value(path, JsonArray(all.map { JsonPrimitive(it) }))
    }

    fun numbers(path: String, values: List<Double>?) = values?.let { all -> value(path, JsonArray(all.map(::number))) }

    fun seconds(path: String, values: List<Double>?) =
        values?.let { all -> value(path, JsonArray(all.map { JsonPrimitive(secondsText(it)) })) }

    fun text(path: String, value: String?) = value?.let { value(path, JsonPrimitive(it)) }

    fun steps(path: String, steps: List<Pair<Double, Double>>) =
        value(path, JsonObject(steps.associate { (at, value) -> secondsText(at) to number(value) }))

    fun value(path: String, value: JsonElement) {
        changed[path] = value
    }

    private fun secondsText(value: Double) = "${number(value).content}s"

    /** JSON knows no NaN: such a value stays a text, which the reader refuses with its path. */
    private fun number(value: Double): JsonPrimitive {
        if (!value.isFinite()) return JsonPrimitive("$value")
        return JsonPrimitive(BigDecimal(value.toBigDecimal().stripTrailingZeros().toPlainString()))
    }
}
