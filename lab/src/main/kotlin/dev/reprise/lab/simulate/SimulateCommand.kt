package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.subcommands
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.scenario.YamlText
import kotlinx.serialization.json.JsonObject
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readText

/** `retry-lab simulate`: the experiments, and whatever a scenario file describes. */
internal class SimulateCommand : NoOpCliktCommand(name = "simulate") {
    init {
        subcommands(
            OutageCommand(
                "outage",
                "A fleet, and a server that is down for a while: what retries add to its load, and how long it takes " +
                    "to recover.",
            ),
            OutageCommand(
                "stall",
                "A fleet, and a server that loses requests for a while: who comes back, and who never does.",
            ),
            ThrottleCommand(),
            LayersCommand(),
            FleetCommand(
                "hedge",
                "One request of twenty takes ten times as long: what copies of slow requests make of it, and what " +
                    "they cost.",
            ),
            FileCommand(),
        )
    }

    /** `simulate FILE` is short for `simulate file FILE`: what has a dot or a slash in it is no command. */
    override fun aliases(): Map<String, List<String>> = object : AbstractMap<String, List<String>>() {
        override val entries: Set<Map.Entry<String, List<String>>> get() = emptySet()

        override fun containsKey(key: String) = !key.startsWith("-") && ('.' in key || '/' in key)

        override fun get(key: String) = if (containsKey(key)) listOf("file", key) else null
    }

    override fun help(context: Context) =
        "Try policies on a simulated fleet, in virtual time, with the real engine. A FILE describes a fleet of your own."
}

/** `retry-lab simulate FILE`: runs a scenario file. */
private class FileCommand : ScenarioCommand("file") {
    private val file by argument(help = "a scenario, as YAML or JSON")
    override val policies: List<String> by argument(name = "policy", help = PolicyArgument.HELP).multiple()
    override val folder: Path get() = Path(file).toAbsolutePath().parent ?: Path("")

    override fun help(context: Context) = "What a scenario file describes: your own fleet, server and failures."

    override fun written(): JsonObject = inFile {
        YamlText.parse(Path(file).readText()) as? JsonObject ?: throw BadInput("$file: $: must be an object")
    }

    override fun experiment(document: JsonObject): Experiment<*> = inFile { super.experiment(document) }

    /** Adds the file's name to errors. */
    private fun <T> inFile(read: () -> T): T = try {
        read()
    } catch (failure: IOException) {
        throw BadInput("$file: cannot be read: ${failure.javaClass.simpleName}")
    } catch (failure: IllegalArgumentException) {
        throw BadInput("$file: ${failure.message}")
    }
}
