package dev.reprise.lab.report

import com.github.ajalt.clikt.testing.test
import dev.reprise.lab.retryLab
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import java.io.File
import kotlin.io.path.Path
import kotlin.io.path.readText

/** The commands of README and of `docs/lab.md`, each as written but for its fleet, in a folder with the files that they name. */
class DocumentedCommandsTest :
    FunSpec({
        val pages = listOf("../README.md", "../docs/lab.md", "../docs/layers.md").map { Path(it).readText() }
        val folder = tempdir()
        val files =
            listOf("mine.json", "ours.json", "old/retry.json", "shop.yaml", "before.json", "after.json", "delays.svg")
        val inFences = Regex("```(?:sh|text)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
        val inText = Regex("`(retry-lab [a-z][^`]*)`")

        fun commands(page: String): List<String> {
            val fenced = inFences.findAll(page).flatMap { it.groupValues[1].lines() }.map { it.removePrefix("$ ") }
            return (fenced + inText.findAll(inFences.replace(page, "")).map { it.groupValues[1] })
                .flatMap { it.split(" && ") }
                .map { it.removePrefix("lab/bin/") }.filter { it.startsWith("retry-lab ") }
                .map { it.removePrefix("retry-lab ") }.distinct().toList()
        }

        val commands = pages.flatMap(::commands)

        fun words(command: String) = Regex("'([^']*)'|[^ ]+").findAll(command).map {
            val word = it.groupValues[1].ifEmpty { it.value }
            files.firstOrNull { file -> word == file || word.endsWith("=$file") }
                ?.let { file -> word.removeSuffix(file) + folder.resolve(file) }
                ?: if (word == "retry-report") "$folder/report" else word
        }.toList()

        val small = listOf("--experiment", "throttle")

        /** A page of a command that names none goes into the test's folder. */
        fun page(words: List<String>) = if ("--out" in words) emptyList() else listOf("--out", tempdir().path)

        /** As fast as a test must be: a small fleet, and one experiment of all. */
        fun quick(words: List<String>): List<String> {
            val runs = words.none { it.endsWith(".json") && File(it).name in setOf("before.json", "after.json") }
            return when (words.first()) {
                "simulate" -> when (words[1]) {
                    "outage", "stall", "layers" -> words + listOf("--clients", "2")
                    else -> words
                }

                "compare", "report" -> if (runs) words + small + page(words) else words

                else -> words
            }
        }

        fun run(command: String): String {
            val words = words(command)
            val target = words.indexOf(">").takeIf { it > 0 }
            val result = retryLab().test(quick(words.take(target ?: words.size)))
            withClue("retry-lab $command\n${result.stderr}") {
                // The page says what its assertions give at full size: 1 is the answer "no", 2 is a bad command.
                if ("--assert" in words) (result.statusCode <= 1) shouldBe true else result.statusCode shouldBe 0
            }
            target?.let { File(words[it + 1]).writeText(result.stdout) }
            return result.stdout
        }

        beforeSpec {
            folder.resolve("old").mkdir()
            for (name in listOf("mine.json", "ours.json", "old/retry.json")) {
                folder.resolve(name).writeText("""{"preset":"standard-2.1","maxAttempts":4}""")
            }
            val shop = Regex("```yaml\n(# shop.yaml.*?)```", RegexOption.DOT_MATCHES_ALL).find(pages[1])!!
            folder.resolve("shop.yaml").writeText(shop.groupValues[1])
            run("simulate shop.yaml --seed 2 --json > before.json")
        }

        // The demo shows real faults in real time; the build's workflow runs it.
        for (command in commands - "demo") test("retry-lab $command") { run(command).isNotBlank() shouldBe true }

        test("the pages name the commands that matter") {
            commands shouldContainAll
                listOf("demo", "explain standard-2.1", "simulate outage", "compare standard-2.1 mine.json")
        }
    })
