package dev.reprise.samples.members

import dev.reprise.build.ApiMember
import dev.reprise.build.PublicApi
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.extension
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.io.path.walk

private val ROOT = Path("../..")

/** The published modules but those for Spring, which are not on the class path of these tests. */
private val PUBLISHED = listOf(ROOT, ROOT.resolve("integrations")).flatMap { it.listDirectoryEntries("retry-*") }
    .filter { it.resolve("api").exists() && "spring" !in it.name }

/** The modules each of whose members some test calls, and those whose tests are searched for the calls. */
private val CALLED = listOf("retry-core", "retry-coroutines", "retry-java").map(ROOT::resolve)
private val CALLERS = CALLED + listOf("retry-presets", "retry-ktor", "checks/retry-samples").map(ROOT::resolve)

/** Members that no test can call, each with its reason. */
private val LEFT_OUT = mapOf(
    "dev/reprise/core/shell/rate/SendRate.tellWatcher" to "protected: for a send rate that processes share",
)

/** Members that compilers make, and those of every object. */
private val MADE = setOf("equals", "hashCode", "toString", "values", "valueOf", "getEntries", "INSTANCE", "Companion")

/**
 * Holds the dumps to what users can do: a member that is not behind `ShellApi` needs no opt-in and shows public types only, and
 * some test calls it, in Kotlin or in Java. [RestInKotlin] and [RestInJava] call what no other test does.
 */
class MembersTest :
    FunSpec({
        val library = Library()

        fun needed(module: Path): List<ApiMember> = PublicApi.of(module.resolve("api/${module.name}.api"))
            .filterNot(library::isForShells)
            .flatMap { it.members }
            .filterNot { it.name in MADE || it.name.endsWith("\$default") || it.isMarkedConstructor }
            .filterNot(library::isForShells)

        test("there are some published modules") { PUBLISHED.size shouldBeGreaterThan 15 }

        for (module in PUBLISHED) {
            test("a member of ${module.name} that needs no opt-in names public types that need none") {
                needed(module).filterNot { it.isSynthetic }.flatMap { member ->
                    library.typesOf(member).filterNot(library::isForAll).map { "$member: $it" }
                }.shouldBeEmpty()
            }
        }

        val uses = Uses()
        val words = mutableSetOf<String>()
        beforeSpec {
            for (module in CALLERS) {
                val classes = module.resolve("target/test-classes")
                withClue("compile the tests first: mvn test -pl :retry-samples -am") { check(classes.exists()) }
                classes.walk().filter { it.extension == "class" && it.fileName.toString() != "module-info.class" }
                    .forEach(uses::addFrom)
                module.resolve("src/test").walk().filter { it.extension in setOf("kt", "java") }
                    .flatMapTo(words) { source -> Regex("""\w+""").findAll(source.readText()).map { it.value } }
            }
        }
        val byName by lazy { uses.all.groupBy { it.name to it.descriptor } }

        fun isUsed(member: ApiMember): Boolean {
            if (library.isConstant(member)) return member.name in words
            val owner = Use.plain(member.owner)
            return byName[member.name to member.descriptor].orEmpty().any { library.inherits(it.owner, owner) }
        }

        for (module in CALLED) {
            test("some test calls each member of ${module.name} that needs no opt-in, in Kotlin or in Java") {
                val needed = needed(module).filterNot(library::isInherited)
                    .distinctBy { Use.of(it.owner, it.name, it.descriptor) }
                needed.size shouldBeGreaterThan 30
                val missing = needed.filterNot { isUsed(it) || "${it.owner}.${it.name}" in LEFT_OUT }
                withClue("${missing.size} of ${needed.size}:\n${missing.joinToString("\n")}\n") {
                    missing.shouldBeEmpty()
                }
            }
        }
    })

private val ApiMember.isMarkedConstructor: Boolean get() = "DefaultConstructorMarker" in descriptor
