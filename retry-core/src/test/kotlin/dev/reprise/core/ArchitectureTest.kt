package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.maps.shouldNotBeEmpty
import java.io.PrintWriter
import java.io.StringWriter
import java.nio.file.Files
import java.nio.file.Path
import java.util.spi.ToolProvider
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.io.path.relativeTo
import kotlin.streams.asSequence

/**
 * The core is sans-I/O: what it may not touch, checked on the sources. Its packages stand in floors: checked on the classes,
 * since KDoc has imports too.
 */
class ArchitectureTest :
    FunSpec({
        val root = Path.of("src/main/kotlin")
        val sources = Files.walk(root).use { paths -> paths.asSequence().filter { it.extension == "kt" }.toList() }

        val text = Regex("\"[^\"]*\"")

        fun offenders(pattern: Regex) = sources.flatMap { file ->
            file.readText().lineSequence().map { it.replace(text, "\"\"").substringBefore("//") }
                .filter { !it.trimStart().startsWith("*") && pattern.containsMatchIn(it) }
                .map { "${file.relativeTo(root)}: ${it.trim()}" }.toList()
        }

        test("there are sources to look at") { sources.shouldNotBeEmpty() }

        test("core reads no clock") {
            offenders(
                Regex(
                    """nanoTime\(\)\s*=|System\.(nanoTime|currentTimeMillis)|Instant\.now|Clock\.system|TimeSource\.Monotonic""",
                ),
            ).shouldBeEmpty()
        }

        test("core starts no thread, takes no lock and never waits") {
            offenders(
                Regex(
                    """\bThread\b(?!\.currentThread\(\)\.(interrupt\(\)|id\b))|Executor|synchronized|ReentrantLock|LockSupport|\.wait\(\)|\.sleep\(|@Synchronized""",
                ),
            ).shouldBeEmpty()
        }

        test("core knows no coroutines") { offenders(Regex("""kotlinx\.coroutines|\bsuspend\b""")).shouldBeEmpty() }

        test("core draws from no random source of its own") {
            offenders(
                Regex("""kotlin\.random|java\.util\.Random|ThreadLocalRandom|SplittableRandom|Math\.random"""),
            ).shouldBeEmpty()
        }

        test("core opens no file and no socket") {
            offenders(
                Regex(
                    """import java\.(nio\.file\.(?!FileSystemException|Path\b)|net\.(Socket\b|URL|http)|io\.File(InputStream)?\b)""",
                ),
            ).shouldBeEmpty()
        }

        test("no packages use each other in a circle") {
            val listing = StringWriter().also {
                val writer = PrintWriter(it, true)
                ToolProvider.findFirst("jdeps").get().run(writer, writer, "-verbose:package", "target/classes/dev")
            }
            val uses = Regex("""(dev\.reprise\S*) +-> (dev\.reprise\S*)""").findAll(listing.toString())
                .map { it.groupValues[1] to it.groupValues[2] }
                .groupBy({ it.first }, { it.second })

            uses.shouldNotBeEmpty()
            circles(uses).keys.shouldBeEmpty()
            circles(uses + ("dev.reprise.core.shell.time" to listOf("dev.reprise.core"))).keys.shouldNotBeEmpty()
        }
    })

/** [uses] without the packages that use no other one of it, again and again: the circles are left, and all that stands on them. */
private tailrec fun circles(uses: Map<String, List<String>>): Map<String, List<String>> {
    val above = uses.filterValues { below -> below.any { it in uses } }
    return if (above.size == uses.size) above else circles(above)
}
