package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import com.github.ajalt.clikt.parameters.options.OptionWithValues
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.Changes
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** A scenario that comes with the lab, some of whose members are options. */
internal open class BuiltInCommand(name: String, private val help: String) : ScenarioCommand(name) {
    override val policies: List<String> by argument(name = "policy", help = PolicyArgument.HELP).multiple()

    private val members = mutableListOf<(Changes) -> Unit>()

    override fun help(context: Context) = help

    override fun written(): JsonObject = BuiltIn.document(commandName)

    override fun change(changes: Changes) = members.forEach { it(changes) }

    fun whole(name: String, path: String, help: String) =
        member(option(name, help = help).int(), path) { JsonPrimitive(it) }

    fun number(name: String, path: String, help: String) =
        member(option(name, help = help).double(), path, Changes::number)

    fun seconds(name: String, path: String, help: String) =
        member(option(name, help = help).double(), path, Changes::seconds)

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

/** A scenario of a fleet of like clients. */
internal open class FleetCommand(name: String, help: String) : BuiltInCommand(name, help) {
    protected val clients = whole("--clients", "fleet[0].clients", "clients of the fleet")
    protected val calls = number("--calls", "fleet[0].calls", "calls a second of each client")
}
