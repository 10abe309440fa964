package dev.reprise.lab.experiment

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.arguments.PolicyArgument
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.YamlText
import kotlinx.serialization.json.JsonObject
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readText

/** `retry-lab simulate FILE`: what a scenario file describes. */
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

/** A scenario that comes with the lab, with some of its members as options. */
abstract class BuiltInCommand(name: String) : ScenarioCommand(name) {
    override val policies: List<String> by argument(name = "policy", help = PolicyArgument.HELP).multiple()

    override fun written(): JsonObject = BuiltIn.document(commandName)
}

/** `retry-lab simulate outage`. */
open class OutageCommand(name: String = "outage") : BuiltInCommand(name) {
    private val clients by option("--clients", help = "clients of the fleet").int()
    private val calls by option("--calls", help = "calls a second of each client").double()
    private val capacity by option(
        "--capacity",
        help = "requests a second that the server works on; by default 1.5 times the calls",
    ).double()
    private val latency by option("--latency", help = "seconds that an answer takes, without the queue").double()
    private val queue by option(
        "--queue",
        help = "requests that wait at the server before it answers 503; by default the work of two seconds",
    )
        .int()
    private val from by option("--from", help = "when the outage begins, in seconds").double()
    private val to by option("--to", help = "when it ends").double()
    private val seconds by option("--seconds", help = "when the simulation ends").double()
    private val kind by option("--kind", help = "how the server fails: error, stall or freeze")
    private val attemptTimeout by option(
        "--attempt-timeout",
        help = "seconds after which an attempt ends, for policies that do not say",
    ).double()

    override fun help(context: Context) =
        "A fleet, and a server that is down for a while: what retries add to its load, and how long it takes to recover."

    override fun changes(): Changes = Changes().apply {
        whole("fleet[0].clients", clients)
        number("fleet[0].calls", calls)
        val load = (clients ?: CLIENTS) * (calls ?: 1.0)
        val works = capacity ?: (load * SPARE)
        if (clients != null || calls != null || capacity != null) {
            number("server.queue.capacity", works)
            whole("server.queue.length", (works * QUEUE_SECONDS).toInt().coerceAtLeast(1))
        }
        whole("server.queue.length", queue)
        seconds("server.latency", latency)
        seconds("server.failures[0].from", from)
        seconds("server.failures[0].to", to)
        seconds("seconds", seconds)
        text("server.failures[0].kind", kind)
        kind?.let { text("name", if (it == "error") "outage" else it) }
        seconds("attemptTimeout", attemptTimeout)
    }

    private companion object {
        const val CLIENTS = 1_000
        const val SPARE = 1.5
        const val QUEUE_SECONDS = 2
    }
}

/** `retry-lab simulate stall`. */
class StallCommand : OutageCommand("stall") {
    override fun help(context: Context) =
        "A fleet, and a server that loses requests for a while: who comes back, and who never does."
}

/** `retry-lab simulate throttle`. */
class ThrottleCommand : BuiltInCommand("throttle") {
    private val clients by option("--clients", help = "clients, each with a limiter of its own").int()
    private val callers by option("--callers", help = "callers of each client, who always have work").int()
    private val rate by option("--rate", help = "requests a second that the server admits").double().default(RATE)
    private val changes by option(
        "--then",
        metavar = "SECOND RATE",
        help = "another rate from a moment on; may be repeated",
    ).double().pair().multiple()
    private val seconds by option("--seconds", help = "when the simulation ends").double()
    private val warmUp by option("--warm-up", help = "seconds that are not counted").double()

    override fun help(context: Context) =
        "Clients that always have work, and a server that throttles: throughput, throttled share, fairness."

    override fun changes(): Changes = Changes().apply {
        whole("fleet[0].clients", clients)
        whole("fleet[0].callers", callers)
        if (rate != RATE || this@ThrottleCommand.changes.isNotEmpty()) {
            steps("server.admission[0].rate", listOf(0.0 to rate) + this@ThrottleCommand.changes)
            number("server.admission[0].burst", maxOf(1.0, rate * BURST_SECONDS))
        }
        seconds("seconds", seconds)
        seconds("warmUp", warmUp)
    }

    private companion object {
        const val RATE = 100.0
        const val BURST_SECONDS = 0.1
    }
}

/** `retry-lab simulate errors`. */
class ErrorsCommand : BuiltInCommand("errors") {
    private val clients by option("--clients", help = "clients of the fleet").int()
    private val calls by option("--calls", help = "calls a second of each client").double()

    override fun help(context: Context) =
        "Errors in the background, more and more of them: what a policy makes of them, and what it sends for it."

    override fun changes(): Changes = Changes().apply {
        whole("fleet[0].clients", clients)
        number("fleet[0].calls", calls)
    }
}

/** `retry-lab simulate partial`. */
class PartialCommand : BuiltInCommand("partial") {
    private val clients by option("--clients", help = "clients of the fleet").int()
    private val calls by option("--calls", help = "calls a second of each client").double()

    override fun help(context: Context) = "One operation of ten is dead: what the calls of the healthy ones lose."

    override fun changes(): Changes = Changes().apply {
        whole("fleet[0].clients", clients)
        number("fleet[0].calls", calls)
    }
}

/** `retry-lab simulate occ`. */
class OccCommand : BuiltInCommand("occ") {
    private val clients by option("--clients", help = "how many clients, comma separated").int().split(",")
    private val runs by option("--runs", help = "runs for each figure").int()

    override fun help(context: Context) =
        "Clients that fight over one row: the experiment of the AWS architecture blog. The figures are writes that " +
            "the server saw, by number of clients, and the time when the last client was done."

    override fun changes(): Changes = Changes().apply {
        wholes("contention.clients", clients)
        whole("contention.runs", runs)
    }
}
