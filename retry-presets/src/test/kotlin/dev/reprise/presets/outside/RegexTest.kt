package dev.reprise.presets.outside

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.isDirectory
import kotlin.io.path.readText
import kotlin.streams.asSequence

/** Regular expressions in published code never go back: each quantifier is possessive or a fixed number. */
class RegexTest :
    FunSpec({
        val sources =
            listOf(
                "../retry-core",
                "../retry-presets",
                "../retry-coroutines",
                "../retry-java",
                "../retry-ktor",
                "../integrations",
            )
                .map { Path.of(it) }.filter { it.isDirectory() }
                .flatMap { root -> Files.walk(root).use { all -> all.asSequence().filter(::isPublished).toList() } }

        test("the check sees quantifiers that go back, and those only") {
            val back = listOf("a*", "a+", "a?", "a{2,}", "a{1,3}", "(?:a)+", "a*?", "[*]*", "\\**")
            val onward = listOf("a*+", "a++", "a?+", "a{2}", "a{1,3}+", "(?:a)", "(?<=a)b", "[*+?]", "\\*\\+", "[]*]")
            back.filterNot(::goesBack).shouldBeEmpty()
            onward.filter(::goesBack).shouldBeEmpty()
        }

        test("no regular expression goes back") {
            val patterns =
                sources.flatMap { file -> LITERAL.findAll(file.readText()).map { it.groupValues[1] to file } }
            patterns.size shouldBeGreaterThan 5
            patterns.filter { (literal, _) -> goesBack(literal.replace("\\\\", "\\")) }.shouldBeEmpty()
        }

        test("all of them stand where this test sees them") {
            val calls = listOf(
                "toRegex\\(",
                "Pattern\\.compile\\(",
                "\\.(?:replaceAll|replaceFirst|matches)\\(\"",
                "Regex\\(\\s*+(?!\")",
            )
            val others = Regex(calls.joinToString("|"))
            sources.filter { others.containsMatchIn(it.readText()) }.shouldBeEmpty()
        }
    })

private val LITERAL = Regex("Regex\\(\\s*\"((?:[^\"\\\\]|\\\\.)*)\"")

private fun isPublished(path: Path) =
    "src/main" in path.toString().replace('\\', '/') && path.extension in setOf("kt", "java")

private fun goesBack(pattern: String): Boolean {
    var i = 0
    while (i < pattern.length) {
        when (pattern[i]) {
            '\\' -> i++

            '[' -> i = pattern.indexOf(']', i + 2)

            '(' -> if (pattern.getOrNull(i + 1) == '?') i++

            '*', '+', '?' -> if (pattern.getOrNull(++i) != '+') return true

            '{' -> {
                val end = pattern.indexOf('}', i)
                if (',' in pattern.substring(i, end) && pattern.getOrNull(end + 1) != '+') return true
                i = if (pattern.getOrNull(end + 1) == '+') end + 1 else end
            }
        }
        i++
    }
    return false
}
