package dev.reprise.build

import java.nio.file.Files
import java.nio.file.Path

/**
 * A table of `docs/figures` whose rows a test computes. With `-Ddocs.update=true` the [file] is written; otherwise a difference
 * is shown line by line, with the command that writes it.
 */
class DataFile(private val file: Path) {
    /** Asserts that the table is [rows], the first of which is the header; [command] runs this very test. */
    fun assertIs(rows: List<List<String>>, command: String) {
        if (System.getProperty("docs.update").toBoolean()) write(rows)
        val (old, text) = Files.readString(file) to csv(rows)
        if (old == text) return
        throw AssertionError(
            "$file is not up to date. If this is meant: $command -Ddocs.update=true\n${difference(old, text)}",
        )
    }

    /** Writes [rows], the first of which is the header. */
    fun write(rows: List<List<String>>) {
        Files.writeString(file, csv(rows))
    }

    companion object {
        private const val MOST_LINES = 20

        private fun csv(rows: List<List<String>>) =
            rows.joinToString("") { row -> row.joinToString(",", postfix = "\n", transform = ::cell) }

        // Quoted as RFC 4180 has it; no cell has a line break.
        private fun cell(text: String) = if (text.any { it in ",\"" }) "\"${text.replace("\"", "\"\"")}\"" else text

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
