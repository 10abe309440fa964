package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import com.github.ajalt.clikt.parameters.options.OptionWithValues
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.input.checked
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Changes
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.scenario.YamlText
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
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

    /** The folder of the files that the scenario names. */
    protected open val folder: Path get() = Path.of("")

    /** The scenario as it is written down. */
    internal abstract fun written(): JsonObject

    /** Puts the values of the command's own options into [changes]. */
    internal open fun change(changes: Changes) = Unit

    override fun run() {
        if (!printScenario) return super.run()
        echo(YamlText.print(checked { document() }), trailingNewline = false)
    }

    override fun experiment(): Experiment<*> = experimentOf(ScenarioFileReader(folder), document())

    private fun document(): JsonObject {
        val changes = Changes().also(::change)
        size?.let { changes["size"] = it }
        seeds?.let { changes["seeds"] = it }
        set.forEach { (path, value) -> changes[path] = YamlText.parse(value) }
        val document = changes.applyTo(written())
        if (policies.isEmpty()) return document
        // The policies of the command line take the place of the file's.
        val named = PolicyArgument.labelled(policies).mapValues { JsonPrimitive(it.value) }
        return JsonObject(document + ("policies" to JsonObject(named)))
    }
}

/** A scenario that comes with the lab, some of whose members are options. */
open class BuiltInCommand(name: String, private val help: String) : ScenarioCommand(name) {
    override val policies: List<String> by argument(name = "policy", help = PolicyArgument.HELP).multiple()

    private val members = mutableListOf<(Changes) -> Unit>()

    override fun help(context: Context) = help

    override fun written(): JsonObject = BuiltIn.document(commandName)

    override fun change(changes: Changes) = members.forEach { it(changes) }

    internal fun whole(name: String, path: String, help: String): OptionWithValues<Int?, Int, Int> =
        member(option(name, help = help).int(), path) { JsonPrimitive(it) }

    internal fun number(name: String, path: String, help: String): OptionWithValues<Double?, Double, Double> =
        member(option(name, help = help).double(), path, Changes::number)

    internal fun seconds(name: String, path: String, help: String) {
        member(option(name, help = help).double(), path, Changes::seconds)
    }

    internal fun wholes(name: String, path: String, help: String) {
        member(option(name, help = help).int().split(","), path) { all -> JsonArray(all.map { JsonPrimitive(it) }) }
    }

    internal fun numbers(name: String, path: String, help: String) {
        member(option(name, help = help).double().split(","), path) { JsonArray(it.map(Changes::number)) }
    }

    internal fun allSeconds(name: String, path: String, help: String) {
        member(option(name, help = help).double().split(","), path) { JsonArray(it.map(Changes::seconds)) }
    }

    /** The options of a fleet of like clients. */
    internal fun fleet() {
        whole("--clients", "fleet[0].clients", "clients of the fleet")
        number("--calls", "fleet[0].calls", "calls a second of each client")
    }

    /** Registers [option], whose value is the member at [path] in this [form]. */
    private fun <T : Any, V> member(
        option: OptionWithValues<T?, T, V>,
        path: String,
        form: (T) -> JsonElement,
    ): OptionWithValues<T?, T, V> {
        registerOption(option)
        members += { changes -> option.value?.let { changes[path] = form(it) } }
        return option
    }
}
