package dev.reprise.lab.stability

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.double
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.PoliciesCommand
import dev.reprise.lab.scenario.BuiltIn
import dev.reprise.lab.scenario.ScenarioFileReader
import java.nio.file.Path

/** `retry-lab simulate stability`. */
class StabilityCommand : PoliciesCommand("stability") {
    private val calls by option("--calls", help = "calls a second of each client, comma separated").double().split(",")
        .default(listOf(10.0, 1.0, 0.1), defaultForHelp = "10,1,0.1")
    private val outages by option("--outages", help = "how long the server is away, in seconds").double().split(",")
        .default(listOf(5.0, 10.0, 20.0, 40.0, 80.0), defaultForHelp = "5,10,20,40,80")
    private val timeouts by option("--timeouts", help = "how long an attempt may take, in seconds").double().split(",")
        .default(listOf(2.0), defaultForHelp = "2")
    private val patience by option("--patience", help = "seconds in which a fleet must be back").double().default(120.0)

    override fun help(context: Context) =
        "From which load a fleet does not come back after an outage, by client size and by the outage's length."

    override fun experiment(): Experiment<*> {
        val reader = ScenarioFileReader(Path.of(""))
        val file = reader.read(BuiltIn.document("stability"))
        return StabilityExperiment(file, reader, calls, outages, timeouts, patience)
    }
}
