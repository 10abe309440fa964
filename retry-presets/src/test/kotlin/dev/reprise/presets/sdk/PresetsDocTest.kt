package dev.reprise.presets.sdk

import dev.reprise.build.PagePart
import io.kotest.core.spec.style.FunSpec
import java.nio.file.Path

/** `docs/research/presets.md` compares the presets; its tables are what the presets themselves say. */
class PresetsDocTest :
    FunSpec({
        val page = Path.of("../docs/research/presets.md")

        fun markdown(rows: List<List<String>>): String {
            val lines = rows.map { it.joinToString(" | ", "| ", " |") }
            val rule = rows.first().joinToString("|", "|", "|") { "---" }
            return (listOf(lines.first(), rule) + lines.drop(1)).joinToString("\n")
        }

        for ((name, rows) in mapOf("numbers" to PresetTables.numbers, "conditions" to PresetTables.conditions)) {
            test("the table of $name is up to date") {
                PagePart(page, name).assertIs(
                    markdown(rows),
                    "mvn test -pl :retry-presets -am -Dtest=PresetsDocTest",
                )
            }
        }
    })
