package dev.reprise.lab.experiment

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.sim.OutageKind
import dev.reprise.lab.sim.OutageScenario

/** `retry-lab simulate outage`. */
class OutageCommand : ExperimentCommand("outage") {
    private val clients by option("--clients", help = "clients of the fleet").int().default(1_000)
    private val calls by option("--calls", help = "calls a second of each client").double().default(1.0)
    private val capacity by option(
        "--capacity",
        help = "requests a second that the server works on; else half as many again as there are calls",
    )
        .double()
    private val latency by option(
        "--latency",
        help = "seconds that an answer takes besides the queue",
    ).double().default(0.02)
    private val queue by option(
        "--queue",
        help = "requests that the server holds before it answers 503",
    ).int().default(3_000)
    private val from by option("--from", help = "when the outage begins, in seconds").double().default(30.0)
    private val to by option("--to", help = "when it ends").double().default(60.0)
    private val seconds by option("--seconds", help = "when the simulation ends").double().default(180.0)
    private val kind by option("--kind", help = "how the server fails: it answers 500, or it never answers")
        .choice(OutageKind.entries.associateBy { it.word }).default(OutageKind.ERROR)
    private val attemptTimeout by option(
        "--attempt-timeout",
        help = "seconds after which an attempt ends, for policies that do not say",
    ).double()

    override fun help(context: Context) =
        "A fleet, and a server that is down for a while: what retries add to its load, and how long it takes to recover."

    override fun experiment(): Experiment<*> = OutageExperiment(
        OutageScenario(
            clients = clients,
            callsPerClient = calls,
            capacity = capacity ?: (clients * calls * SPARE),
            latency = latency,
            queueLimit = queue,
            outageStart = from,
            outageEnd = to,
            kind = kind,
            seconds = seconds,
            attemptTimeout = attemptTimeout,
        ),
        name = if (kind == OutageKind.STALL) "stall" else "outage",
    )

    private companion object {
        const val SPARE = 1.5
    }
}
