package dev.reprise.lab.simulate

import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.double
import dev.reprise.lab.scenario.Changes

/** `retry-lab simulate outage`, and `stall`. */
internal class OutageCommand(name: String, help: String) : FleetCommand(name, help) {
    private val capacity = number(
        "--capacity",
        "server.queue.capacity",
        "requests a second that the server works on; by default 1.5 times the calls",
    )

    init {
        seconds("--from", "server.failures[0].from", "when the outage begins, in seconds")
        seconds("--to", "server.failures[0].to", "when it ends")
        seconds("--seconds", "seconds", "when the simulation ends")
    }

    private val kind by option("--kind", help = "how the server fails: error, stall or freeze")

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

internal class LayersCommand :
    FleetCommand(
        "layers",
        "Three layers of retries above a server that fails: how they multiply, and what ends that.",
    ) {
    private val kind by option("--kind", help = "how the server fails: error or stall")

    override fun change(changes: Changes) {
        super.change(changes)
        kind?.let { changes["server.failures[0].kind"] = it }
    }
}
