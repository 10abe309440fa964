package dev.reprise.lab.replay

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import java.nio.file.Path
import kotlin.io.path.readText

/** Each scenario of `docs/replay.md`, and of `examples.md` beside the tests, gives what stands below it. */
class ReplayDocumentationTest :
    FunSpec({
        val example = Regex("```json\n(.*?)```\\s*```jsonl\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
        val pages = listOf("../docs/replay.md", "src/test/resources/replay/examples.md").map { Path.of(it).readText() }
        val examples = pages.flatMap { page -> example.findAll(page).map { it.destructured } }

        for ((scenario, output) in examples) {
            test("the documented output of ${ScenarioReader.read(scenario).first().name}") {
                replay(scenario).joinToString("") { "$it\n" } shouldBe output
            }
        }

        test("the documentation has examples") { examples shouldHaveSize 4 }
    })
