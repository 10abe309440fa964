package dev.reprise.lab.report

import dev.reprise.lab.experiment.Section
import dev.reprise.lab.plot.LinePlot

/** A page of [sections] that needs nothing besides itself: readable offline, light and dark, on a phone too. */
internal class HtmlPage(
    private val sections: List<Section>,
    /** What the labels stand for: a preset's name, a document or its file. */
    private val policies: Map<String, String>,
    private val seed: Long,
    /** What is not on the page, because its program was stopped or still runs. */
    private val missing: List<String>,
) {
    fun html(): String = buildString {
        append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        append("<title>What retries do to a server</title>\n<style>\n$STYLE\n</style>\n</head>\n<body>\n")
        append("<h1>What retries do to a server</h1>\n")
        if (missing.isNotEmpty()) {
            append("<p class=\"partial\">This report is partial: its program was stopped, or still runs. ")
            append("What is missing: ${escape(missing.joinToString())}.</p>\n")
        }
        append("<p>Every client on this page ran the library's own executor, in virtual time, from seed $seed. ")
        append("The same seed gives the same page.</p>\n")
        sections.forEach { write(it) }
        append("<section>\n<h2>The policies</h2>\n<dl>\n")
        for ((label, policy) in policies) append("<dt>${escape(label)}</dt>\n<dd><code>${escape(policy)}</code></dd>\n")
        append("</dl>\n</section>\n</body>\n</html>\n")
    }

    private fun StringBuilder.write(section: Section) {
        append("<section>\n<h2>${escape(section.title)}</h2>\n<p>${escape(section.words)}</p>\n")
        append("<p><strong>What one sees:</strong> ${escape(section.reading)}</p>\n")
        for (plot in section.plots) {
            append("<figure role=\"img\" aria-label=\"${escape(plot.title)}\">")
            for (shape in LinePlot.Shape.entries) {
                append("<div class=\"${shape.name.lowercase()}\">${plot.svg(shape)}</div>")
            }
            append("</figure>\n")
        }
        append("<div class=\"table\"><table>\n<tr>")
        section.heading.forEach { append("<th>${escape(it)}</th>") }
        append("</tr>\n")
        for (row in section.rows) {
            append("<tr>")
            row.forEach { append("<td>${escape(it)}</td>") }
            append("</tr>\n")
        }
        append("</table></div>\n</section>\n")
    }

    private fun escape(text: String) =
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")

    private companion object {
        val STYLE =
            """
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
            h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; line-height: 1.2; }
            figure { margin: 1rem 0; } svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
            .narrow { display: none; }
            @media (max-width: 640px) { .narrow { display: block; } .wide { display: none; } }
            .table { overflow-x: auto; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
            th, td { text-align: right; padding: .25rem .75rem; border-bottom: 1px solid #8884; }
            th { vertical-align: bottom; line-height: 1.2; } td { white-space: nowrap; }
            th:first-child, td:first-child { text-align: left; padding-left: 0; }
            dt { font-weight: bold; margin-top: .5rem; } dd { margin-left: 1rem; overflow-wrap: anywhere; }
            .partial { border-left: 4px solid #D55E00; padding-left: .75rem; }
            """.trimIndent()
    }
}
