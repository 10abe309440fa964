package dev.reprise.lab.report

import com.github.ajalt.clikt.core.Context
import dev.reprise.lab.experiment.Experiment
import java.nio.file.Path

/** `retry-lab report`: the standard set of experiments, each with the policies that show most. */
class ReportCommand : PageCommand("report") {
    override fun help(context: Context) =
        "Run the standard set of experiments and write one HTML page, readable offline, and its plots as pictures."

    override fun policies(experiment: Experiment<*>): Map<String, String> = experiment.standard

    override fun show(done: List<Done>, page: Path) = echo("$page")
}
