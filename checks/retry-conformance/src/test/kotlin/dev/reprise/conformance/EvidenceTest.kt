package dev.reprise.conformance

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
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

/** The pages on evidence name tests that exist. */
class EvidenceTest :
    FunSpec({
        val sources = testSources()

        for (page in listOf("evidence", "runs")) {
            test("each test that docs/research/$page.md names is there, and has the case that it quotes") {
                val text = PROJECT.resolve("docs/research/$page.md").readText()
                val named = NAMED.findAll(text).map { it.destructured }.toList()
                named.size shouldBeGreaterThan 20
                named.filterNot { (test, case) -> sources[test].orEmpty().any { case in it } }
                    .map { (test, case) -> "$test $case" }
                    .shouldBeEmpty()
            }
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
