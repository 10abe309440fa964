package dev.reprise.presets.sdk

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import java.nio.file.Files
import java.nio.file.Path

/** `docs/presets.md` compares the presets; its tables are what the presets themselves say. */
class PresetsDocTest :
    FunSpec({
        val page = Path.of("../docs/presets.md")

        fun markdown(rows: List<List<String>>): String {
            val lines = rows.map { it.joinToString(" | ", "| ", " |") }
            val rule = rows.first().joinToString("|", "|", "|") { "---" }
            return (listOf(lines.first(), rule) + lines.drop(1)).joinToString("\n")
        }

        fun section(name: String, rows: List<List<String>>) = "<!-- $name -->\n\n${markdown(rows)}\n\n<!-- end -->"

        for ((name, rows) in mapOf("numbers" to PresetTables.numbers, "conditions" to PresetTables.conditions)) {
            test("the table of $name is up to date") {
                if (System.getProperty("docs.update").toBoolean()) {
                    val old = Regex("<!-- $name -->.*?<!-- end -->", RegexOption.DOT_MATCHES_ALL)
                    Files.writeString(page, old.replace(Files.readString(page)) { section(name, rows) })
                }
                withClue("If it is meant: mvn test -pl :retry-presets -am -Dtest=PresetsDocTest -Ddocs.update=true") {
                    Files.readString(page) shouldContain section(name, rows)
                }
            }
        }
    })
