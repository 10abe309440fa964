package dev.reprise.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
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
        val entries = sources.values.flatMap { text ->
            val enum = enumClass.find(text)?.groupValues?.get(1) ?: return@flatMap emptyList()
            entry.findAll(text).map { "$enum.${it.groupValues[1]}" }.toList()
        }

        test("no comment links by its full name to an enum entry with a body") {
            entries shouldContain "QuotaCharge.RETRIES"
            val link = Regex("""\[dev\.reprise[\w.]*\.(${entries.joinToString("|") { Regex.escape(it) }})]""")
            sources.flatMap { (file, text) -> link.findAll(text).map { "${file.name}: ${it.value}" } }.shouldBeEmpty()
        }
    })
