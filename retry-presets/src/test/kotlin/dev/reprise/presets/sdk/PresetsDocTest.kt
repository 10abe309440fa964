package dev.reprise.presets.sdk

import dev.reprise.build.DataFile
import io.kotest.core.spec.style.FunSpec
import java.nio.file.Path

/** The tables of `docs/figures` that compare the presets are what the presets themselves say. */
class PresetsDocTest :
    FunSpec({
        for ((name, rows) in mapOf("presets" to PresetTables.numbers, "presets-retried" to PresetTables.conditions)) {
            test("docs/figures/$name.csv is up to date") {
                DataFile(Path.of("../docs/figures/$name.csv")).assertIs(
                    rows,
                    "mvn test -pl :retry-presets -am -Dtest=PresetsDocTest",
                )
            }
        }
    })
