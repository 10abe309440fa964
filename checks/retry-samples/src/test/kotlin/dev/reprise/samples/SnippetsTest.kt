package dev.reprise.samples

import io.kotest.assertions.fail
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

        // Those that need the clients of others are compiled and run in the workshop.
        val folders = arrayOf("checks/retry-samples/src", "workshop/retry-services/src")
        val files = files(*folders, extensions = setOf("kt", "java")).associateWith { Code.of(it.readText()) }
        val samples = files.values

        fun snippets(text: String) = fence.findAll(text).map { Code.of(it.groupValues[1]) }.toList()

        /** Why [snippet] stands in no sample, by the one that has most of it. */
        fun gap(snippet: Code): String {
            val (file, sample) = files.maxBy { (_, sample) -> sample.commonLines(snippet) }
            val common = sample.commonLines(snippet)
            val place = project.relativize(file)
            if (common == snippet.lines.size) return "$place lacks ${(snippet.imports - sample.imports).joinToString()}"
            val line = "no sample has \"${snippet.lines[common]}\""
            return if (common == 0) {
                line
            } else {
                "$line after \"${snippet.lines[common - 1]}\", as $place has all before it"
            }
        }

        /** The snippets of [text], a part of [file], that stand in no sample. */
        fun strangers(file: Path, text: String) = snippets(text)
            .filterNot { snippet -> samples.any { snippet in it } }
            .map { "${project.relativize(file)}: ${gap(it)}" }

        // Those that are the library's own source are held to it by ShellsTest.
        val ownSource = Regex("<!-- source: [^\n]* -->\n```.*?```", RegexOption.DOT_MATCHES_ALL)

        val documents = files("docs", extensions = setOf("md")) + listOf(project.resolve("README.md"))

        test("every snippet of README and docs is in a sample, and so is each of its imports") {
            documents.flatMap { snippets(it.readText()) }.shouldNotBeEmpty()
            documents.flatMap { strangers(it, it.readText().replace(ownSource, "")) }.shouldBeNone()
        }

        test("a page of the guide shows the imports of what its snippets use, where they are used first") {
            documents
                .filterNot { it.startsWith(project.resolve("docs/research")) }
                .flatMap { document ->
                    val shown = mutableSetOf<String>()
                    snippets(document.readText()).mapNotNull { snippet ->
                        shown += snippet.imports
                        val missing = samples.filter { snippet in it }.map { it.importsFor(snippet) - shown }
                        missing.minByOrNull { it.size }?.takeIf { it.isNotEmpty() }?.let {
                            "${project.relativize(
                                document,
                            )}: \"${snippet.lines.first()}\" does not show ${it.joinToString()}"
                        }
                    }
                }
                .shouldBeNone()
        }

        test("every dependency on a page can be pasted: it has a version") {
            val dependency = Regex("<dependency>.*?</dependency>", RegexOption.DOT_MATCHES_ALL)
            documents.flatMap { page ->
                dependency.findAll(page.readText()).map { project.relativize(page) to it.value }
            }
                .filter { (_, text) -> "<version>" !in text }
                .map { (page, text) -> "$page: $text" }
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
                    strangers(source, text)
                }.shouldBeNone()
        }
    })

/** Prints all, one a line, with what to do. */
private fun List<String>.shouldBeNone() {
    if (isEmpty()) return
    val sources = "checks/retry-samples or workshop/retry-services"
    fail("Write each snippet, as it stands, into a test of $sources, or mend the page:\n${joinToString("\n")}")
}

/** The lines of a snippet or a sample, without indentation and blank lines; imports apart, since a sample has them on top. */
private data class Code(val imports: Set<String>, val lines: List<String>) {
    operator fun contains(snippet: Code): Boolean =
        imports.containsAll(snippet.imports) && commonLines(snippet) == snippet.lines.size

    /** How many of the first lines of [snippet] stand here, one after the other. */
    fun commonLines(snippet: Code): Int = lines.indices.maxOfOrNull { start ->
        snippet.lines.indices.firstOrNull { lines.getOrNull(start + it) != snippet.lines[it] } ?: snippet.lines.size
    } ?: 0

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
