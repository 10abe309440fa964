package dev.reprise.studies

import com.github.ajalt.clikt.core.CliktError
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.parse
import com.github.ajalt.clikt.core.subcommands
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.fleet.budget.Peers
import dev.reprise.lab.retryLab
import dev.reprise.lab.simulate.BuiltInCommand
import dev.reprise.studies.adaptive.ConvergeExperiment
import dev.reprise.studies.adaptive.ConvergeFile
import dev.reprise.studies.occ.Contention
import dev.reprise.studies.occ.OccExperiment
import dev.reprise.studies.peers.BUDGETS
import dev.reprise.studies.stability.StabilityExperiment
import kotlinx.serialization.json.JsonObject
import kotlin.system.exitProcess

/** The lab with what only holds our own claims: three studies, and the budgets of other libraries. */
fun studies(): NoOpCliktCommand {
    Peers.all += BUDGETS - Peers.all.toSet()
    return retryLab().subcommands(
        Study(
            "converge",
            "Ten minutes of a throttling server in virtual time, with the real executor and limiter: what is served, " +
                "what is throttled, how fairly, and how soon after a change.",
        ) { ConvergeExperiment(ConvergeFile(it)) },
        Study(
            "stability",
            "From which load a fleet does not come back after an outage, by client size and by the outage's length.",
        ) { StabilityExperiment.of(it) },
        Study(
            "occ",
            "Clients that fight over one row: the experiment of the AWS architecture blog. The figures are writes " +
                "that the server saw, by number of clients, and the time when the last client was done.",
        ) { OccExperiment(Contention(it)) },
    )
}

fun main(args: Array<String>) {
    val lab = studies()
    try {
        lab.parse(args)
    } catch (failure: CliktError) {
        lab.echoFormattedHelp(failure)
        exitProcess(failure.statusCode)
    }
}

/** A study whose file is among the resources; `--set` changes its members. */
private class Study(name: String, help: String, private val study: (JsonObject) -> Experiment<*>) :
    BuiltInCommand(name, help) {
    override fun experiment(document: JsonObject): Experiment<*> = study(document)
}
