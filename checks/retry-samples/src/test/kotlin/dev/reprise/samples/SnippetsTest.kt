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

        fun lines(text: String) = text.lines().map { it.trim() }.filter { it.isNotEmpty() }

        val samples = files("checks/retry-samples/src", extensions = setOf("kt", "java")).map { lines(it.readText()) }

        fun isInSamples(snippet: List<String>) = samples.any { sample ->
            (0..sample.size - snippet.size).any {
                sample.subList(it, it + snippet.size) ==
                    snippet
            }
        }

        // Those that are the library's own source are held to it by ShellsTest.
        val ownSource = Regex("<!-- source: [^\n]* -->\n```.*?```", RegexOption.DOT_MATCHES_ALL)

        fun snippets(text: String) = fence.findAll(text).map { lines(it.groupValues[1]) }.toList()

        test("every snippet of README and docs is in a sample") {
            val documents = files("docs", extensions = setOf("md")) + listOf(project.resolve("README.md"))
            documents.flatMap { snippets(it.readText()) }.shouldNotBeEmpty()
            documents
                .flatMap { document ->
                    snippets(document.readText().replace(ownSource, "")).filterNot(::isInSamples).map {
                        "${document.fileName}: $it"
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
                    snippets(text).filterNot(::isInSamples).map { "${source.fileName}: $it" }
                }.shouldBeEmpty()
        }
    })
