package dev.reprise.lab.simulate

import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.double
import dev.reprise.lab.adaptive.ConvergeFile
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.scenario.Changes
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray

/** `retry-lab simulate outage`, and `stall`. */
internal class OutageCommand(name: String, help: String) : BuiltInCommand(name, help) {
    private val clients = whole("--clients", "fleet[0].clients", "clients of the fleet")
    private val calls = number("--calls", "fleet[0].calls", "calls a second of each client")
    private val capacity = number(
        "--capacity",
        "server.queue.capacity",
        "requests a second that the server works on; by default 1.5 times the calls",
    )

    init {
        seconds("--latency", "server.latency", "seconds that an answer takes, without the queue")
        whole(
            "--queue",
            "server.queue.length",
            "requests that wait at the server before it answers 503; by default the work of two seconds",
        )
        seconds("--from", "server.failures[0].from", "when the outage begins, in seconds")
        seconds("--to", "server.failures[0].to", "when it ends")
        seconds("--seconds", "seconds", "when the simulation ends")
    }

    private val kind by option("--kind", help = "how the server fails: error, stall or freeze")

    init {
        seconds(
            "--attempt-timeout",
            "attemptTimeout",
            "seconds after which an attempt ends, for policies that do not say",
        )
    }

    override fun change(changes: Changes) {
        if (clients.value != null || calls.value != null || capacity.value != null) {
            val works = capacity.value ?: ((clients.value ?: CLIENTS) * (calls.value ?: 1.0) * SPARE)
            changes["server.queue.capacity"] = works
            changes["server.queue.length"] = (works * QUEUE_SECONDS).toInt().coerceAtLeast(1)
        }
        kind?.let {
            changes["server.failures[0].kind"] = it
            changes["name"] = if (it == "error") "outage" else it
        }
        super.change(changes)
    }

    private companion object {
        const val CLIENTS = 1_000
        const val SPARE = 1.5
        const val QUEUE_SECONDS = 2
    }
}

/** `retry-lab simulate throttle`. */
internal class ThrottleCommand :
    BuiltInCommand(
        "throttle",
        "Clients that always have work, and a server that throttles: throughput, throttled share, fairness. A closed " +
            "loop: who fails sooner asks sooner.",
    ) {
    init {
        whole("--clients", "fleet[0].clients", "clients, each with a limiter of its own")
        whole("--callers", "fleet[0].callers", "callers of each client, who always have work")
    }

    private val rate by option("--rate", help = "requests a second that the server admits").double().default(RATE)
    private val then by option(
        "--then",
        metavar = "SECOND RATE",
        help = "another rate from a moment on; may be repeated",
    ).double().pair().multiple()

    init {
        seconds("--seconds", "seconds", "when the simulation ends")
        seconds("--warm-up", "warmUp", "seconds that are not counted")
    }

    override fun change(changes: Changes) {
        super.change(changes)
        if (rate == RATE && then.isEmpty()) return
        changes.steps("server.admission[0].rate", listOf(0.0 to rate) + then)
        changes["server.admission[0].burst"] = maxOf(1.0, rate * BURST_SECONDS)
    }

    private companion object {
        const val RATE = 100.0
        const val BURST_SECONDS = 0.1
    }
}

/** `retry-lab converge`: does adaptive mode find a server's rate, and does it stay there? */
class ConvergeCommand :
    BuiltInCommand(
        "converge",
        "Ten minutes of a throttling server in virtual time, with the real executor and limiter: what is served, " +
            "what is throttled, how fairly, and how soon after a change.",
    ) {
    private val only by option("--only", help = "only conditions whose name contains this").default("")

    override fun written(): JsonObject {
        val document = super.written()
        if (only.isEmpty()) return document
        val names = ConvergeFile(document).conditions.map { it.name }
        val kept = document.getValue("conditions").jsonArray.filterIndexed { i, _ -> only in names[i] }
        if (kept.isEmpty()) throw BadInput("no condition has this in its name: $only")
        return JsonObject(document + ("conditions" to JsonArray(kept)))
    }
}

internal fun errors() = BuiltInCommand(
    "errors",
    "Errors in the background, more and more of them: what a policy makes of them, and what it sends for it.",
).apply { fleet() }

internal fun partial() =
    BuiltInCommand("partial", "One operation of ten is dead: what the calls of the healthy ones lose.").apply {
        fleet()
    }

internal fun overload() = BuiltInCommand(
    "overload",
    "More calls than a throttling server admits: who is served, and what that costs. The calls come whether or not " +
        "the ones before have ended.",
).apply { fleet() }

internal fun hedge() = BuiltInCommand(
    "hedge",
    "One request of twenty takes ten times as long: what copies of slow requests make of it, and what they cost.",
).apply { fleet() }

internal fun fanOut() = BuiltInCommand(
    "fan-out",
    "A call that makes a thousand requests at once and waits for the slowest, with and without copies.",
).apply { fleet() }

internal fun saturated() = BuiltInCommand(
    "saturated",
    "A server at 90 % load, whose slowness is its load: copies must not make it worse.",
).apply { fleet() }

internal fun occ() = BuiltInCommand(
    "occ",
    "Clients that fight over one row: the experiment of the AWS architecture blog. The figures are writes that " +
        "the server saw, by number of clients, and the time when the last client was done.",
).apply {
    wholes("--clients", "contention.clients", "how many clients, comma separated")
    whole("--runs", "contention.runs", "runs for each figure")
}

internal fun stability() = BuiltInCommand(
    "stability",
    "From which load a fleet does not come back after an outage, by client size and by the outage's length.",
).apply {
    numbers("--calls", "border.calls", "calls a second of each client, comma separated")
    allSeconds("--outages", "border.away", "how long the server is away, in seconds")
    allSeconds("--timeouts", "border.timeouts", "how long an attempt may take, in seconds")
    seconds("--patience", "border.patience", "seconds in which a fleet must be back")
}
