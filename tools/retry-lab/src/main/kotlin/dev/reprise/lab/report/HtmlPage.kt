package dev.reprise.lab.report

/** A page of [sections] that needs nothing besides itself: readable offline, light and dark, on a phone too. */
internal class HtmlPage(private val sections: List<Section>, private val seed: Long, private val isPartial: Boolean) {
    fun html(): String = buildString {
        append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        append(
            "<title>What retries do to a server</title>\n<style>",
        ).append(STYLE).append("</style>\n</head>\n<body>\n")
        append("<h1>What retries do to a server</h1>\n")
        append("<p>Every client on this page ran the library's own executor, in virtual time, from seed $seed. ")
        append("The same seed gives the same page.</p>\n")
        if (isPartial) {
            append(
                "<p class=\"partial\">This report is partial: its program was stopped, or still runs.</p>\n",
            )
        }
        sections.forEach { write(it) }
        append("</body>\n</html>\n")
    }

    private fun StringBuilder.write(section: Section) {
        append("<section>\n<h2>").append(escape(section.title)).append("</h2>\n")
        append("<p>").append(escape(section.words)).append("</p>\n")
        section.plots.values.forEach { append("<figure>").append(it).append("</figure>\n") }
        append("<div class=\"wide\"><table>\n<tr>")
        section.heading.forEach { append("<th>").append(escape(it)).append("</th>") }
        append("</tr>\n")
        for (row in section.rows) {
            append("<tr>")
            row.forEach { append("<td>").append(escape(it)).append("</td>") }
            append("</tr>\n")
        }
        append("</table></div>\n</section>\n")
    }

    private fun escape(text: String) = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    private companion object {
        val STYLE =
            """
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
            h1 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
            figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: 100%; height: auto; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
            th, td { text-align: right; padding: .25rem .75rem; border-bottom: 1px solid #8884; white-space: nowrap; }
            th:first-child, td:first-child { text-align: left; }
            .partial { border-left: 4px solid #D55E00; padding-left: .75rem; }
            """.trimIndent()
    }
}
