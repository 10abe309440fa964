package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.scenario.YamlText
import kotlinx.serialization.json.JsonObject
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readText

/** `retry-lab simulate FILE`: runs a scenario file. */
class FileCommand : ScenarioCommand("file") {
    private val file by argument(help = "a scenario, as YAML or JSON")
    override val policies: List<String> by argument(name = "policy", help = PolicyArgument.HELP).multiple()
    override val folder: Path get() = Path(file).toAbsolutePath().parent ?: Path("")

    override fun help(context: Context) = "What a scenario file describes: your own fleet, server and failures."

    override fun written(): JsonObject = try {
        YamlText.parse(Path(file).readText()) as? JsonObject ?: throw BadInput("$file: $: must be an object")
    } catch (failure: IOException) {
        throw BadInput("$file: cannot be read: ${failure.javaClass.simpleName}")
    } catch (failure: IllegalArgumentException) {
        throw BadInput("$file: ${failure.message}")
    }
}
