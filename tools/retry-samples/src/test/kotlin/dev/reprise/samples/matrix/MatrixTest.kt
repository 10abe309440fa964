package dev.reprise.samples.matrix

import dev.reprise.build.ApiMember
import dev.reprise.build.PublicApi
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readText

private val MODULES = listOf("retry-core", "retry-coroutines", "retry-java")

/** What no user calls by its name, or cannot call; each with its reason. `*` stands for any name. */
private val LEFT_OUT = mapOf(
    "dev/reprise/core/rate/SendRate.tellWatcher" to "protected: for a send rate that processes share",
)

/** What compilers make, and what every object has. */
private val MADE = setOf("equals", "hashCode", "toString", "values", "valueOf", "getEntries", "INSTANCE", "Companion")

private val SOURCES = listOf("kotlin/dev/reprise/samples/matrix/KotlinMatrix.kt", "java/dev/reprise/samples/matrix/JavaMatrix.java")

/**
 * Holds `KotlinMatrix` and `JavaMatrix` to the dumps: whatever a user can call one of the two calls, in its own language. What
 * is behind `ShellApi` is left out. That both compile, without an opt-in, is half of the test.
 */
class MatrixTest :
    FunSpec({
        val library = Library()
        val uses = Uses()
        val folder = Path.of("target/test-classes/dev/reprise/samples/matrix")
        folder.listDirectoryEntries().filter { it.extension == "class" && Regex("(Java|Kotlin)Matrix.*").matches(it.name) }
            .forEach(uses::addFrom)
        val words = SOURCES.flatMap { Regex("""\w+""").findAll(Path.of("src/test", it).readText()).map { w -> w.value } }.toSet()

        fun needed(module: String): List<ApiMember> = PublicApi.of(Path.of("../../$module/api/$module.api"))
            .filterNot(library::isForShells)
            .flatMap { it.members }
            .filterNot { it.name in MADE || it.name.endsWith("\$default") || "DefaultConstructorMarker" in it.descriptor }
            .filterNot { library.isForShells(it) || library.isInherited(it) }
            .distinctBy { Use.of(it.owner, it.name, it.descriptor) }

        val byName = uses.all.groupBy { it.name to it.descriptor }

        fun isUsed(member: ApiMember): Boolean {
            if (library.isConstant(member)) return member.name in words
            val owner = Use.plain(member.owner)
            return byName[member.name to member.descriptor].orEmpty().any { library.inherits(it.owner, owner) }
        }

        fun isLeftOut(member: ApiMember) = "${member.owner}.${member.name}" in LEFT_OUT

        for (module in MODULES) {
            test("each public member of $module that is not for writers of shells is used in one of the two matrices") {
                val needed = needed(module)
                needed.size shouldBeGreaterThan 30
                val missing = needed.filterNot { isUsed(it) || isLeftOut(it) }
                withClue("${missing.size} of ${needed.size}:\n${missing.joinToString("\n")}\n") { missing.shouldBeEmpty() }
            }
        }

        test("what is left out is there, and not used after all") {
            val unused = MODULES.flatMap(::needed).filterNot(::isUsed).map { "${it.owner}.${it.name}" }
            (LEFT_OUT.keys - unused.toSet()).shouldBeEmpty()
        }
    })
