package dev.reprise.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.streams.asSequence

/**
 * Dokka 2.2.0 stops at a link with the full name of an enum entry that has a body, and a release with it. Such an entry is linked
 * by its short name, or written as code.
 */
class KdocLinksTest :
    FunSpec({
        val project = Path.of("../..").toAbsolutePath().normalize()
        val sources = listOf("retry-core", "retry-coroutines", "retry-ktor", "integrations")
            .flatMap { folder ->
                Files.walk(project.resolve(folder)).use { paths ->
                    paths.asSequence().filter {
                        it.extension == "kt" && "main" in project.relativize(it).map(Path::name)
                    }.toList()
                }
            }.associateWith { it.readText() }

        val enumClass = Regex("""enum class (\w+)""")
        val entry = Regex("""(?m)^    ([A-Z][A-Z0-9_]*)(?:\(.*\))? \{$""")
        fun entriesOf(text: String): List<String> {
            val enum = enumClass.find(text)?.groupValues?.get(1) ?: return emptyList()
            return entry.findAll(text).map { "$enum.${it.groupValues[1]}" }.toList()
        }

        test("no comment links by its full name to an enum entry with a body") {
            entriesOf("enum class Size(val n: Int) {\n    BIG(7) {\n    },\n    SMALL(1),\n") shouldBe
                listOf("Size.BIG")
            val entries = sources.values.flatMap(::entriesOf).toSet()
            val link = Regex("""\[dev\.reprise[\w.]*\.(\w+\.\w+)]""")
            sources.flatMap { (file, text) ->
                link.findAll(text).filter { it.groupValues[1] in entries }.map { "${file.name}: ${it.value}" }
            }.shouldBeEmpty()
        }
    })
