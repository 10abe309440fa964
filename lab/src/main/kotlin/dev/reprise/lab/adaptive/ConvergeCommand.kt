package dev.reprise.lab.adaptive

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import dev.reprise.lab.experiment.BuiltInCommand
import dev.reprise.lab.input.BadInput
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray

/** `retry-lab converge`: does adaptive mode find a server's rate, and does it stay there? */
class ConvergeCommand : BuiltInCommand("converge") {
    private val only by option("--only", help = "only conditions whose name contains this").default("")

    override fun help(context: Context) =
        "Ten minutes of a throttling server in virtual time, with the real executor and limiter: what is served, " +
            "what is throttled, how fairly, and how soon after a change."

    override fun written(): JsonObject {
        val document = super.written()
        if (only.isEmpty()) return document
        val names = ConvergeFile(document).conditions.map { it.name }
        val kept = document.getValue("conditions").jsonArray.filterIndexed { i, _ -> only in names[i] }
        if (kept.isEmpty()) throw BadInput("no condition has this in its name: $only")
        return JsonObject(document + ("conditions" to JsonArray(kept)))
    }
}
