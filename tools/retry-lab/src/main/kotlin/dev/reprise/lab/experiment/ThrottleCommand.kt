package dev.reprise.lab.experiment

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.pair
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.int
import dev.reprise.lab.sim.ThrottleScenario

/** `retry-lab simulate throttle`. */
class ThrottleCommand : ExperimentCommand("throttle") {
    private val clients by option("--clients", help = "clients, each with a limiter of its own").int().default(10)
    private val rate by option("--rate", help = "requests a second that the server admits").double().default(100.0)
    private val changes by option(
        "--then",
        metavar = "SECOND RATE",
        help = "another rate from a moment on; may be repeated",
    ).double().pair().multiple()
    private val seconds by option("--seconds", help = "when the simulation ends").double().default(300.0)
    private val warmUp by option("--warm-up", help = "seconds that are not counted").double().default(60.0)

    override fun help(context: Context) =
        "Clients that always have work, and a server that throttles: throughput, throttled share, fairness."

    override fun experiment(): Experiment<*> =
        ThrottleExperiment(ThrottleScenario(clients, listOf(0.0 to rate) + changes, seconds, warmUp))
}
