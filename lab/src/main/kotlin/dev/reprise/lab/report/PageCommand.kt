package dev.reprise.lab.report

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.multiple
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.unique
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.long
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.checked
import dev.reprise.lab.plot.Picture
import dev.reprise.lab.scenario.Contestants
import kotlinx.serialization.json.JsonArray
import java.nio.file.Path

/** Several experiments on one page, which is written after each of them: Ctrl-C leaves what is done, and says so. */
internal abstract class PageCommand(name: String) : CliktCommand(name) {
    private val out by option("--out", help = "the folder to write the page and its pictures into")
        .path().default(Path.of("retry-report"))
    private val overwrite by option("--overwrite", help = "replace a report that --out holds").flag()
    private val seed by option("--seed", help = "the same seed repeats a run exactly").long().default(1)
    private val only by option("--experiment", help = "only this one; may be repeated")
        .choice(*StandardExperiments.names.toTypedArray()).multiple().unique()
    protected val json by option("--json", help = "print the figures as JSON, one object for each experiment").flag()

    /** The policies to try in [experiment], by label, as [Contestants] reads them. */
    protected abstract fun policies(experiment: Experiment<*>): Map<String, String>

    protected abstract fun show(done: List<Experiment.Outcome>, page: Path)

    /** The names on the command line besides the options. */
    protected open val named: List<String> get() = emptyList()

    private fun commandLine(): String {
        val words = named.map { if (PLAIN.matches(it)) it else "'${it.replace("'", "'\\''")}'" }
        val options = listOf("--seed $seed") + only.map { "--experiment $it" }
        return (listOf("retry-lab", commandName) + words + options).joinToString(" ")
    }

    override fun run() {
        val experiments = StandardExperiments.all.filter { only.isEmpty() || it.name in only }
        val written = experiments.associateWith(::policies)
        val tried = written.mapValues { (_, policies) -> policies.mapValues { Contestants.read(it.value) } }
        val folder = PageFile.folder(out, overwrite)
        val page = PageFile(
            folder,
            commandLine(),
            experiments.map { it.name },
            written.values.flatMap { it.entries }.associate { it.toPair() },
        )
        page.write(emptyList())
        val done = mutableListOf<Experiment.Outcome>()
        checked {
            for ((experiment, policies) in tried) {
                val outcome = experiment.run(policies, seed)
                done += outcome
                outcome.section.plots.forEach { Picture.write(it, folder) }
                page.write(done)
            }
        }
        if (json) echo(JsonArray(done.map { it.json }).toString()) else show(done, page.file)
    }
}

/** `retry-lab report`: the standard set of experiments, each with the policies that show most. */
internal class ReportCommand : PageCommand("report") {
    override fun help(context: Context) =
        "Run the standard set of experiments and write one HTML page, readable offline, and its plots as pictures."

    override fun policies(experiment: Experiment<*>): Map<String, String> = experiment.standard

    override fun show(done: List<Experiment.Outcome>, page: Path) = echo("$page")
}

private val PLAIN = Regex("[-A-Za-z0-9_./=,:@]+")
