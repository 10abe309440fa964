package dev.reprise.build

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.extension
import kotlin.io.path.readLines
import kotlin.io.path.readText
import kotlin.io.path.walk

/**
 * The published modules grow in no one's sight. A limit below may fall with any commit; one that rises needs a reason in the
 * message of the commit that raises it.
 */
class SizeTest :
    FunSpec({
        val root = Path("../..")
        val published = Regex("<module>([^<]*)</module>").findAll(root.resolve("pom.xml").readText())
            .map { root.resolve(it.groupValues[1]) }.filter { it.resolve("api").exists() }.toList()
        val core = published.filter { it.endsWith("retry-core") }

        test("code lines") {
            core.sumOf(::codeLines) shouldBeAtMost CORE_LINES
            published.sumOf(::codeLines) shouldBeAtMost ALL_LINES
        }

        test("public members outside of packages that are for shells or internal") {
            core.sumOf(::members) shouldBeAtMost CORE_MEMBERS
            published.sumOf(::members) shouldBeAtMost ALL_MEMBERS
        }
    }) {
    private companion object {
        const val CORE_LINES = 6_426
        const val ALL_LINES = 21_624
        const val CORE_MEMBERS = 700
        const val ALL_MEMBERS = 1_623
    }
}

private infix fun Int.shouldBeAtMost(limit: Int) =
    withClue("if this is meant, say why in the commit that raises the limit") { this shouldBeLessThanOrEqual limit }

/** The lines of a module's main sources that are neither blank, nor comments, nor imports. */
private fun codeLines(module: Path): Int =
    module.resolve("src/main").walk().filter { it.extension == "kt" || it.extension == "java" }.sumOf { file ->
        file.readText().replace(Regex("/\\*[\\s\\S]*?\\*/"), "").lines().map(String::trim)
            .count { it.isNotEmpty() && !it.startsWith("//") && !it.startsWith("import ") }
    }

/** The members in a module's ABI dump whose types stand in no package called `shell` or `internal`. */
private fun members(module: Path): Int {
    var isCounted = false
    return module.resolve("api").walk().flatMap { it.readLines() }.count { line ->
        if (line.startsWith("public ") || line.startsWith("protected ")) {
            isCounted = !line.substringBefore(" :").contains(Regex("/(shell|internal)/"))
        }
        line.startsWith("\t") && isCounted
    }
}
