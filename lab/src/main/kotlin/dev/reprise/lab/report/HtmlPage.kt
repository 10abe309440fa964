package dev.reprise.lab.report

import dev.reprise.lab.experiment.Section
import dev.reprise.lab.plot.LinePlot
import java.time.LocalDate

/** A page of [sections] that needs nothing besides itself: readable offline, light and dark, on a phone too. */
internal class HtmlPage(
    private val sections: List<Section>,
    /** The policies of the labels: a preset's name, a document or its file. */
    private val policies: Map<String, String>,
    /** The command that makes the page again. */
    private val command: String,
    /** The parts that are missing, because the program was stopped or still runs. */
    private val missing: List<String>,
) {
    /** The picture that stands above all others, and is left out of its section. */
    private val first = sections.firstOrNull { it.verdicts.isNotEmpty() }?.plots?.firstOrNull()

    fun html(): String = buildString {
        append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        append("<title>What retries do to a server</title>\n<style>\n$STYLE\n</style>\n</head>\n<body>\n")
        append("<h1>What retries do to a server</h1>\n")
        summary(sections, policies)?.let { append("<p class=\"summary\">${escape(it)}</p>\n") }
        first?.let { figure(it) }
        if (missing.isNotEmpty()) {
            append("<p class=\"partial\">This report is partial: its program was stopped, or still runs. ")
            append("What is missing: ${escape(missing.joinToString())}.</p>\n")
        }
        append("<p>Every client on this page ran the library's own engine, in virtual time. ")
        append("This command makes the page again: <code>${escape(command)}</code> ")
        append("(Reprise $VERSION, ${LocalDate.now()}).</p>\n")
        sections.forEach { write(it) }
        append("<section>\n<h2>The policies</h2>\n<dl>\n")
        for ((label, policy) in policies) append("<dt>${escape(label)}</dt>\n<dd><code>${escape(policy)}</code></dd>\n")
        append("</dl>\n</section>\n</body>\n</html>\n")
    }

    private fun anchor(section: Section) = section.title.lowercase().replace(Regex("[^a-z0-9]+"), "-").trim('-')

    private fun StringBuilder.write(section: Section) {
        append("<section id=\"${anchor(section)}\">\n<h2>${escape(section.title)}</h2>\n")
        append("<p>${escape(section.words)}</p>\n")
        append("<p><strong>Result:</strong> ${escape(section.reading)}</p>\n")
        if (section.verdicts.isNotEmpty()) {
            val items = section.verdicts.map { (label, verdict) ->
                "<li><strong>${escape(label)}</strong>: ${escape(verdict)}</li>\n"
            }
            append(items.joinToString("", "<ul>\n", "</ul>\n"))
        }
        section.plots.filter { it !== first }.forEach { figure(it) }
        table(section)
        append("</section>\n")
    }

    /** All figures: a row for each policy, with the colour of its line. On a phone each cell says what it is. */
    private fun StringBuilder.table(section: Section) {
        val inks = section.plots.firstOrNull()?.inks.orEmpty()
        append("<div class=\"table\"><table>\n<caption>${escape("${section.title}: all figures")}</caption>\n")
        append(section.heading.joinToString("", "<tr>", "</tr>\n") { "<th scope=\"col\">${escape(it)}</th>" })
        for (row in section.rows) {
            val ink = inks[row.first()]?.let { (light, dark) ->
                "<span class=\"ink\" style=\"--light: $light; --dark: $dark\"></span>"
            }
            append("<tr><th scope=\"row\">${ink.orEmpty()}${escape(row.first())}</th>")
            for ((heading, cell) in section.heading.zip(row).drop(1)) {
                append("<td data-label=\"${escape(heading)}\">${escape(cell).replace("\n", "<br>")}</td>")
            }
            append("</tr>\n")
        }
        append("</table></div>\n")
    }

    private fun StringBuilder.figure(plot: LinePlot) {
        append("<figure role=\"img\" aria-label=\"${escape(plot.title)}\">")
        for (shape in LinePlot.Shape.entries) {
            append("<div class=\"${shape.name.lowercase()}\">${plot.svg(shape)}</div>")
        }
        plot.caption?.let { append("<figcaption>${escape(it)}.</figcaption>") }
        append("</figure>\n")
    }

    private fun escape(text: String) =
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")

    private companion object {
        val STYLE = HtmlPage::class.java.getResource("/report/page.css")!!.readText().trimEnd()

        /** The version of the library, from the jar's manifest. */
        val VERSION: String = HtmlPage::class.java.`package`.implementationVersion ?: "from sources"
    }
}
