package dev.reprise.lab.experiment

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.int

/** `retry-lab simulate occ`. */
class OccCommand : PoliciesCommand("occ") {
    private val clients by option("--clients", help = "how many clients, comma separated").int().split(",")
        .default((10..190 step 20).toList(), defaultForHelp = "10,30,...,190")
    private val runs by option("--runs", help = "runs for each figure").int().default(100)

    override fun help(context: Context) =
        "Clients that fight over one row: the experiment of the AWS architecture blog. The figures are writes that " +
            "the server saw, by number of clients, and the time when the last client was done."

    override fun experiment(): Experiment<*> = OccExperiment(clients, runs)
}
