package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.ProgramResult
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.groups.provideDelegate
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.long
import dev.reprise.lab.experiment.Assertion
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.input.checked
import dev.reprise.lab.plot.PictureOptions
import dev.reprise.lab.run.LongRun
import dev.reprise.lab.run.RunCost
import dev.reprise.lab.scenario.Contestants

/** One experiment on the command line: policies, a seed, and the form of the output. */
abstract class ExperimentCommand(name: String) : CliktCommand(name) {
    private val seed: Long by option("--seed", help = "the same seed repeats a run exactly").long().default(1)
    private val json: Boolean by option("--json", help = "JSON instead of a table").flag()
    private val timing: Boolean by option("--timing", help = "print to standard error what the run cost").flag()
    private val assertions by option(
        "--assert",
        metavar = "[LABEL:] FIGURE < VALUE",
        help = "exit with 1 unless this holds for every policy, or for the one called LABEL; may be repeated",
    ).multiple()
    private val pictures by PictureOptions()

    /** The policies that the command line names. */
    protected abstract val policies: List<String>

    /** The experiment that the options ask for. */
    internal abstract fun experiment(): Experiment<*>

    override fun run() {
        val cost = RunCost()
        val expected = assertions.map { Assertion.read(it) }
        val outcome = checked {
            val experiment = experiment()
            val tried = PolicyArgument.labelled(policies).ifEmpty { experiment.standard }
            LongRun.of(isQuiet = json) { experiment.run(tried.mapValues { Contestants.read(it.value) }, seed, it) }
        }
        if (timing) echo(cost.of(outcome.events), err = true)
        val section = outcome.section
        if (json) echo(outcome.json.toString()) else section?.let { terminal.println(it.table()) }
        section?.plots?.forEach { plot -> pictures.write(plot)?.let { echo(it, err = json) } }
        if (outcome.missing.isNotEmpty()) echo("Partial: stopped before ${outcome.missing.joinToString()}.", err = json)
        val broken = expected.flatMap { it.broken(outcome.figures) }
        broken.forEach { echo(it, err = true) }
        if (broken.isNotEmpty()) throw ProgramResult(1)
    }
}
