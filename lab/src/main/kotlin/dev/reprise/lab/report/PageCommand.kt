package dev.reprise.lab.report

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.parameters.groups.provideDelegate
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.unique
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.long
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.checked
import dev.reprise.lab.plot.PictureOptions
import dev.reprise.lab.run.LongRun
import dev.reprise.lab.scenario.Contestants
import kotlinx.serialization.json.JsonArray
import java.nio.file.Path

/** Several experiments on one page, which is written after each of them: Ctrl-C leaves what is done, and says so. */
abstract class PageCommand(name: String) : CliktCommand(name) {
    private val out by option(
        "--out",
        help = "the folder to write the page and its plots into; by default retry-report, or the first of " +
            "retry-report-2, -3 … that holds no report",
    ).path()
    private val overwrite by option("--overwrite", help = "replace a report that --out holds").flag()
    private val pictures by PictureOptions()
    private val seed by option("--seed", help = "the same seed repeats a run exactly").long().default(1)
    private val size by option("--size", help = "shrinks fleets and runs: from 1 down to a little above 0")
        .double().default(1.0)
    private val only by option("--experiment", help = "only this one; may be repeated")
        .choice(*StandardExperiments.names.toTypedArray()).multiple().unique()
    protected val json: Boolean by option(
        "--json",
        help = "print the figures as JSON, one object for each experiment",
    ).flag()

    /** The policies to try in [experiment], by label, as [Contestants] reads them. */
    internal abstract fun policies(experiment: Experiment<*>): Map<String, String>

    /** Shows what is done; [page] is its file. */
    internal abstract fun show(done: List<Done>, page: Path)

    /** The names on the command line besides the options. */
    protected open val named: List<String> get() = emptyList()

    /** The command that makes the page again. */
    private fun commandLine(): String {
        val options = listOf("--seed $seed") + listOfNotNull("--size $size".takeIf { size != 1.0 }) +
            only.map { "--experiment $it" }
        val words = named.map { if (PLAIN.matches(it)) it else "'${it.replace("'", "'\\''")}'" }
        return (listOf("retry-lab", commandName) + words + options).joinToString(" ")
    }

    override fun run() {
        val experiments = checked { StandardExperiments(size).all }.filter { only.isEmpty() || it.name in only }
        val written = experiments.associateWith(::policies)
        val tried = written.mapValues { (_, policies) -> policies.mapValues { Contestants.read(it.value) } }
        val folder = checked { PageFile.folder(out, overwrite) }
        val page = PageFile(
            folder,
            commandLine(),
            experiments.map { it.name },
            written.values.flatMap { it.entries }.associate { it.toPair() },
        )
        page.write(emptyList())
        val done = mutableListOf<Done>()
        checked {
            LongRun.of(isQuiet = json) { steps ->
                for ((experiment, policies) in tried) {
                    done += Done(experiment.name, experiment.run(policies, seed, steps))
                    done.last().outcome.section?.plots?.forEach { pictures.write(it, otherwise = folder) }
                    page.write(done)
                    if (done.last().isPartial) break
                }
            }
        }
        if (json) echo(JsonArray(done.map { it.outcome.json }).toString()) else show(done, page.file)
        if (page.isPartial) echo("This is partial: it was stopped before ${page.missing.joinToString()}.", err = json)
    }
}

private val PLAIN = Regex("[-A-Za-z0-9_./=,:@]+")
