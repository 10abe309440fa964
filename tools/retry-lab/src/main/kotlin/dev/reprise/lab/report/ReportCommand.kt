package dev.reprise.lab.report

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.UsageError
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.double
import com.github.ajalt.clikt.parameters.types.long
import com.github.ajalt.clikt.parameters.types.path
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.arguments.PolicyArgument
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

/** `retry-lab report`: the standard set of policies. */
class ReportCommand : PageCommand("report") {
    override fun help(context: Context) =
        "Run the standard set of experiments and write one HTML page, readable offline, and its pictures as SVG."

    override fun policies(): Map<String, RetryPolicy> = mapOf(
        "no retries" to """{"preset":"standard-2.1","maxAttempts":1}""",
        "standard-2.1" to "standard-2.1",
        "without quota" to """{"preset":"standard-2.1","quota":null}""",
        "10 fixed, no quota" to
            """{"preset":"standard-2.1","quota":null,"maxAttempts":10,"backoff":{"type":"fixed","delay":"100ms"}}""",
        "adaptive-2.1" to "adaptive-2.1",
        "adaptive-steady" to "adaptive-steady",
    ).mapValues { PolicyArgument.read(it.value) }
}

/** What a page of experiments needs; the page is written after each of them, so that Ctrl-C leaves what is done. */
abstract class PageCommand(name: String) : CliktCommand(name) {
    private val folder: Path by option(
        "--out",
        help = "the folder to write into",
    ).path().default(Path.of("retry-report"))
    private val seed by option("--seed", help = "for exact repetition").long().default(1)
    private val size by option(
        "--size",
        help = "shrinks fleets and runs: from 1 down to a little above 0",
    ).double().default(1.0)

    /** The policies by label. */
    protected abstract fun policies(): Map<String, RetryPolicy>

    override fun run() {
        val experiments =
            try {
                Experiments(policies(), seed, size).all
            } catch (failure: IllegalArgumentException) {
                throw UsageError(failure.message.orEmpty())
            }
        folder.createDirectories()
        val done = mutableListOf<Section>()
        for ((i, experiment) in experiments.withIndex()) {
            val (title, run) = experiment
            echo("${i + 1} of ${experiments.size}: $title", err = true)
            val section = run()
            done += section
            for ((file, svg) in section.plots) folder.resolve("$file.svg").writeText(svg)
            folder.resolve(PAGE).writeText(HtmlPage(done, seed, isPartial = done.size < experiments.size).html())
        }
        echo("${folder.resolve(PAGE)}")
    }

    private companion object {
        const val PAGE = "index.html"
    }
}
