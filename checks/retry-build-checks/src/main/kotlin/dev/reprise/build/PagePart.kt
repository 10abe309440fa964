package dev.reprise.build

import java.nio.file.Files
import java.nio.file.Path

/**
 * The part of a [page] between `<!-- name -->` and `<!-- end -->`, whose text a test computes. With `-Ddocs.update=true` the
 * page is written; otherwise a difference is shown line by line, with the command that writes it.
 */
class PagePart(private val page: Path, private val name: String) {
    private val pattern = Regex("<!-- $name -->\n\n(.*?)\n\n<!-- end -->", RegexOption.DOT_MATCHES_ALL)

    /** Asserts that the part is [text]; [command] is the one that runs this very test. */
    fun assertIs(text: String, command: String) {
        if (System.getProperty("docs.update").toBoolean()) write(text)
        val old = pattern.find(Files.readString(page))?.groupValues?.get(1)
            ?: throw AssertionError("$page has no part <!-- $name --> … <!-- end -->")
        if (old == text) return
        throw AssertionError(
            "$page is not up to date. If this is meant: $command -Ddocs.update=true\n${difference(old, text)}",
        )
    }

    private fun write(text: String) = Files.writeString(
        page,
        pattern.replace(Files.readString(page)) { "<!-- $name -->\n\n$text\n\n<!-- end -->" },
    )

    companion object {
        private const val MOST_LINES = 20

        /**
         * The lines that are only in [old], after `-`, and those that are only in [new], after `+`; the first few of
         * each.
         */
        fun difference(old: String, new: String): String {
            val (before, after) = old.lines() to new.lines()
            val gone = (before - after.toSet()).map { "- $it" }
            val come = (after - before.toSet()).map { "+ $it" }
            val lines = (gone + come).ifEmpty { listOf("the same lines in another order") }
            return lines.take(MOST_LINES).joinToString("\n") +
                if (lines.size > MOST_LINES) "\n(${lines.size - MOST_LINES} lines more)" else ""
        }
    }
}
