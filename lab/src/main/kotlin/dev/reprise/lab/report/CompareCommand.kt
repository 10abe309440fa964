package dev.reprise.lab.report

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.input.BadInput
import dev.reprise.lab.input.PolicyArgument
import dev.reprise.lab.text.tableOf
import java.nio.file.Path

/** `retry-lab compare`: the experiments over policies of one's own. */
internal class CompareCommand : PageCommand("compare") {
    private val arguments by argument(name = "policy", help = PolicyArgument.HELP).multiple(required = true)
    private val tried by lazy { PolicyArgument.labelled(arguments) }

    override val named: List<String> get() = arguments

    override fun help(context: Context) =
        "Try policies of your own in every experiment: one table, one set of plots, and a page with both. " +
            "Two runs, files that --json wrote or folders of reports, are compared figure by figure instead."

    override fun run() {
        val runs = arguments.map { RunFile.find(it) ?: return super.run() }
        if (runs.size != 2) throw BadInput("two runs can be compared, not ${runs.size}")
        val compared = RunComparison(runs.first(), runs.last())
        when {
            json -> echo("${compared.json()}")
            compared.isEmpty -> echo("The runs are equal.")
            else -> terminal.println(tableOf(RunComparison.HEADING, compared.rows()))
        }
    }

    override fun policies(experiment: Experiment<*>): Map<String, String> = tried

    override fun show(done: List<Experiment.Outcome>, page: Path) {
        summary(done.map { it.section }, tried)?.let { echo(it) }
        terminal.println(tableOf(listOf("experiment") + tried.keys, done.flatMap(::figures)))
        echo("$page")
    }

    /** The figures of one experiment that tell policies apart, one for each row. */
    private fun figures(done: Experiment.Outcome): List<List<String>> {
        val section = done.section
        val byPolicy = section.rows.associateBy { it.first() }
        return section.headline.map { column ->
            val i = section.heading.indexOf(column)
            listOf("${done.name}${if (section.isClosedLoop) ", closed loop" else ""}: $column") +
                tried.keys.map { byPolicy[it]?.get(i) ?: "-" }
        }
    }
}
