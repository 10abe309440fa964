package dev.reprise.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.streams.asSequence

/** Every snippet that a reader may copy stands, line by line, in a sample that is compiled and run. */
class SnippetsTest :
    FunSpec({
        val fence = Regex("```(?:kotlin|java)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
        val project = Path.of("../..").toAbsolutePath().normalize()

        fun files(vararg folders: String, extensions: Set<String>) =
            folders.map(project::resolve).filter(Files::exists).flatMap { folder ->
                Files.walk(folder).use { paths ->
                    paths
                        .asSequence()
                        .filter { it.extension in extensions && "target" !in it.map(Path::toString) }
                        .toList()
                }
            }

        val samples = files("checks/retry-samples/src", extensions = setOf("kt", "java")).map { Code.of(it.readText()) }

        // Those that are the library's own source are held to it by ShellsTest.
        val ownSource = Regex("<!-- source: [^\n]* -->\n```.*?```", RegexOption.DOT_MATCHES_ALL)

        fun snippets(text: String) = fence.findAll(text).map { Code.of(it.groupValues[1]) }.toList()

        val documents = files("docs", extensions = setOf("md")) + listOf(project.resolve("README.md"))

        test("every snippet of README and docs is in a sample, and so is each of its imports") {
            documents.flatMap { snippets(it.readText()) }.shouldNotBeEmpty()
            documents
                .flatMap { document ->
                    snippets(document.readText().replace(ownSource, ""))
                        .filterNot { snippet -> samples.any { snippet in it } }
                        .map { "${document.fileName}: $it" }
                }
                .shouldBeEmpty()
        }

        test("a page of the guide shows the imports of what its snippets use, where they are used first") {
            documents
                .filterNot { it.startsWith(project.resolve("docs/research")) }
                .flatMap { document ->
                    val shown = mutableSetOf<String>()
                    snippets(document.readText()).mapNotNull { snippet ->
                        shown += snippet.imports
                        val missing = samples.filter { snippet in it }.map { it.importsFor(snippet) - shown }
                        "${document.fileName}: ${missing.first()}".takeIf { missing.none { it.isEmpty() } }
                    }
                }
                .shouldBeEmpty()
        }

        test("every snippet of KDoc and Javadoc is in a sample") {
            val modules = listOf("retry-core", "retry-coroutines", "retry-java", "retry-ktor", "integrations")
            val sources = files(*modules.toTypedArray(), extensions = setOf("kt", "java"))
            sources
                .flatMap { source ->
                    val text = source.readText().lines().joinToString("\n") {
                        it.trim().removePrefix("* ").removePrefix("*")
                    }
                    snippets(text)
                        .filterNot { snippet -> samples.any { snippet in it } }
                        .map { "${source.fileName}: $it" }
                }.shouldBeEmpty()
        }
    })

/** The lines of a snippet or a sample, without indentation and blank lines; imports apart, since a sample has them on top. */
private data class Code(val imports: Set<String>, val lines: List<String>) {
    operator fun contains(snippet: Code): Boolean = imports.containsAll(snippet.imports) &&
        (0..lines.size - snippet.lines.size).any { lines.subList(it, it + snippet.lines.size) == snippet.lines }

    /** The imports of the library that [snippet] needs. */
    fun importsFor(snippet: Code): Set<String> =
        imports.filter { it.startsWith("import dev.reprise.") }.filter { line ->
            val name = line.removeSuffix(";").substringAfterLast('.')
            snippet.lines.any { Regex("\\b$name\\b").containsMatchIn(it) }
        }.toSet()

    companion object {
        fun of(text: String): Code {
            val (imports, lines) =
                text.lines().map { it.trim() }.filter { it.isNotEmpty() }.partition { it.startsWith("import ") }
            return Code(imports.toSet(), lines)
        }
    }
}
