package dev.reprise.lab.experiment

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.subcommands
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import com.github.ajalt.clikt.parameters.groups.provideDelegate
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.long
import dev.reprise.lab.arguments.BadInput
import dev.reprise.lab.arguments.PictureOptions
import dev.reprise.lab.arguments.PolicyArgument
import dev.reprise.lab.run.LongRun
import dev.reprise.lab.run.RunCost

/** `retry-lab simulate`: the experiments. */
class SimulateCommand : NoOpCliktCommand(name = "simulate") {
    init {
        subcommands(OccCommand(), OutageCommand(), ThrottleCommand())
    }

    override fun help(context: Context) = "Try policies on a simulated fleet, in virtual time, with the real engine."
}

/** One experiment on the command line: policies, a seed, and the form of the output. */
abstract class ExperimentCommand(name: String) : CliktCommand(name) {
    private val policies by argument(name = "policy", help = PolicyArgument.HELP).multiple()
    private val seed: Long by option("--seed", help = "for exact repetition").long().default(1)
    private val json: Boolean by option("--json", help = "JSON instead of a table").flag()
    private val timing: Boolean by option("--timing", help = "say on standard error what the run cost").flag()
    private val pictures by PictureOptions()

    /** The experiment that the options ask for. */
    internal abstract fun experiment(): Experiment<*>

    override fun run() {
        val cost = RunCost()
        val outcome = checked {
            val experiment = experiment()
            val tried = PolicyArgument.labelled(policies).ifEmpty {
                experiment.standard
            }.mapValues { PolicyArgument.read(it.value) }
            LongRun.of(isQuiet = json) { experiment.run(tried, seed, it) }
        }
        if (timing) echo(cost.of(outcome.events), err = true)
        val section = outcome.section
        if (json) echo(outcome.json.toString()) else section?.let { terminal.println(it.table()) }
        section?.plots?.forEach { plot -> pictures.write(plot)?.let { echo(it, err = json) } }
        if (outcome.missing.isNotEmpty()) echo("Partial: stopped before ${outcome.missing.joinToString()}.", err = json)
    }
}

/** Runs [experiment]; a scenario that makes no sense is a message and not a stack trace. */
internal fun <T> checked(experiment: () -> T): T = try {
    experiment()
} catch (failure: IllegalArgumentException) {
    throw BadInput(failure.message.orEmpty())
}
