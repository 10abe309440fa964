package dev.reprise.conformance

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.nio.file.FileVisitResult
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.SimpleFileVisitor
import java.nio.file.attribute.BasicFileAttributes
import kotlin.io.path.name
import kotlin.io.path.nameWithoutExtension
import kotlin.io.path.readText

private val PROJECT = Path.of("../..").toAbsolutePath().normalize()

/** A test that a page names, and the sentence of one of its cases if the page quotes one. */
private val NAMED = Regex("`(\\w+Test)`(?: \"([^\"]+)\")?")

/** The page on evidence, and the tables that it shows, name tests and nightly steps that exist. */
class EvidenceTest :
    FunSpec({
        val sources = testSources()
        val page = PROJECT.resolve("docs/research/evidence.md").readText()
        val tables = Regex("\\(\\.\\./figures/([a-z-]+\\.csv)\\)").findAll(page).map { it.groupValues[1] }.toList()

        test("each test that the page and its tables name is there, and has the case that it quotes") {
            tables.size shouldBeGreaterThan 4
            val texts =
                listOf(page, PROJECT.resolve("workshop/reports/README.md").readText()) +
                    (tables + "checklists.csv").map { PROJECT.resolve("docs/figures/$it").readText() }
            val named = NAMED.findAll(texts.joinToString("\n")).map { it.destructured }.toList()
            named.size shouldBeGreaterThan 100
            named.filterNot { (test, case) -> sources[test].orEmpty().any { case in it } }
                .map { (test, case) -> "$test $case" }
                .shouldBeEmpty()
        }

        test("each step of the nightly run has a row, and each step that the page names is one") {
            val steps = Regex("(?m)^step_(\\w+)\\(\\)").findAll(PROJECT.resolve(".ci/nightly").readText()).map {
                it.groupValues[1]
            }
            val rows = PROJECT.resolve("docs/figures/nightly.csv").readText().lines().drop(1).filter { it.isNotEmpty() }
            rows.map { it.substringBefore(',') } shouldContainExactly steps.toList()
            val named = page.lines().filter { it.startsWith("| **") }
                .flatMap { line ->
                    Regex("`(\\w+)`").findAll(line.trimEnd('|', ' ').substringAfterLast("| ")).map { it.groupValues[1] }
                }
                .filterNot { it.endsWith("Test") }
            named.size shouldBeGreaterThan 20
            (named - steps.toSet()).shouldBeEmpty()
        }
    })

/** The sources of all tests, by the name of their class; several modules may have one of the same name. */
private fun testSources(): Map<String, List<String>> {
    val found = mutableMapOf<String, MutableList<String>>()
    Files.walkFileTree(
        PROJECT,
        object : SimpleFileVisitor<Path>() {
            override fun preVisitDirectory(folder: Path, attributes: BasicFileAttributes): FileVisitResult {
                val isSkipped = folder != PROJECT && folder.name in SKIPPED
                return if (isSkipped) FileVisitResult.SKIP_SUBTREE else FileVisitResult.CONTINUE
            }

            override fun visitFile(file: Path, attributes: BasicFileAttributes): FileVisitResult {
                val test = file.nameWithoutExtension
                if (test.endsWith("Test")) found.getOrPut(test) { mutableListOf() } += file.readText()
                return FileVisitResult.CONTINUE
            }
        },
    )
    return found
}

private val SKIPPED = setOf("target", "node_modules", ".git", "main")
