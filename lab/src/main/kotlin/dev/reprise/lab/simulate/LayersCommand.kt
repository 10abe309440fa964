package dev.reprise.lab.simulate

import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.double
import dev.reprise.lab.scenario.Changes
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** `retry-lab simulate layers`. */
internal class LayersCommand :
    BuiltInCommand(
        "layers",
        "Three layers of retries above a server that fails: how they multiply, and what ends that.",
    ) {
    init {
        fleet()
    }

    private val kind by option("--kind", help = "how the server fails: error or stall")
    private val errors by option("--errors", help = "a share of requests that fails all the time instead").double()

    override fun change(changes: Changes) {
        super.change(changes)
        kind?.let { changes["server.failures[0].kind"] = it }
        errors?.let { share ->
            val failure = JsonObject(mapOf("kind" to JsonPrimitive("error"), "share" to JsonPrimitive(share)))
            changes["server.failures"] = JsonArray(listOf(failure))
        }
    }
}
