package dev.reprise.samples.matrix

import dev.reprise.build.ApiMember
import dev.reprise.build.PublicApi
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readText

private val MODULES = listOf("retry-core", "retry-coroutines", "retry-java")

/** What no user calls by its name, or can call; each with its reason. */
private val LEFT_OUT = mapOf(
    "dev/reprise/core/shell/rate/SendRate.tellWatcher" to "protected: for a send rate that processes share",
)

/** What compilers make, and what every object has. */
private val MADE = setOf("equals", "hashCode", "toString", "values", "valueOf", "getEntries", "INSTANCE", "Companion")

private val SOURCES =
    listOf("kotlin/dev/reprise/samples/matrix", "java/dev/reprise/samples/matrix").map { Path.of("src/test", it) }

/**
 * Holds the files of this folder to the dumps: what a user can call one of them calls, in Kotlin or in Java. What is behind
 * `ShellApi` is left out. That they compile without an opt-in is half of the test.
 */
class MatrixTest :
    FunSpec({
        val library = Library()
        val uses = Uses()
        val folder = Path.of("target/test-classes/dev/reprise/samples/matrix")
        val isMatrix = { path: Path -> Regex("(Java|Kotlin)Matrix.*").matches(path.name) }
        folder.listDirectoryEntries("*.class").filter(isMatrix).forEach(uses::addFrom)
        val words = SOURCES.flatMap { it.listDirectoryEntries() }.filter(isMatrix)
            .flatMap { source -> Regex("""\w+""").findAll(source.readText()).map { it.value } }.toSet()

        fun needed(module: String): List<ApiMember> = PublicApi.of(Path.of("../../$module/api/$module.api"))
            .filterNot(library::isForShells)
            .flatMap { it.members }
            .filterNot { it.name in MADE || it.name.endsWith("\$default") || it.isMarkedConstructor }
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
                withClue("${missing.size} of ${needed.size}:\n${missing.joinToString("\n")}\n") {
                    missing.shouldBeEmpty()
                }
            }
        }

        test("what is left out is there, and not used after all") {
            val unused = MODULES.flatMap(::needed).filterNot(::isUsed).map { "${it.owner}.${it.name}" }
            (LEFT_OUT.keys - unused.toSet()).shouldBeEmpty()
        }
    })

private val ApiMember.isMarkedConstructor: Boolean get() = "DefaultConstructorMarker" in descriptor
