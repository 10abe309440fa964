package dev.reprise.samples

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.PrintWriter
import java.io.StringWriter
import java.nio.file.Files
import java.nio.file.Path
import java.util.spi.ToolProvider
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.streams.asSequence

private val project = Path.of("../..").toAbsolutePath().normalize()

/** HotSpot's `FreqInlineSize`. */
private const val MOST_BYTES = 325

/** One loop for each way of waiting, held on the sources: so that no second loop hides in a helper. */
class ShellsTest :
    FunSpec({
        val loops = listOf(
            "retry-coroutines/src/main/kotlin/dev/reprise/coroutines/Execute.kt",
            "retry-coroutines/src/main/kotlin/dev/reprise/coroutines/FlowRetry.kt",
            "retry-java/src/main/java/dev/reprise/java/BlockingLoop.java",
        ).associateWith { project.resolve(it).readText() }

        // One loop for futures and Reactor, which report the end of an attempt each in its way.
        val turns =
            project.resolve("retry-coroutines/src/main/kotlin/dev/reprise/coroutines/shell/TurnLoop.kt").readText()
        val inTurns = listOf(
            "retry-java/src/main/java/dev/reprise/java/FutureCall.java",
            "integrations/retry-reactor/src/main/kotlin/dev/reprise/reactor/ReactorCall.kt",
        ).associateWith { project.resolve(it).readText() }

        // There the loop is the AWS SDKs'.
        val insideOut = "integrations/retry-aws-java/src/main/kotlin/dev/reprise/aws/java/AwsCall.kt"

        // What a shell reports, and what only the core may do otherwise.
        val judged = Regex("""\bcall\.(completed|failed)\(""")
        val steps = listOf("WAIT", "PERMIT", "DISCARD", "ATTEMPT", "DONE")

        test("each shell knows every step, and reports the end of an attempt in one place") {
            for (step in steps) turns shouldContain step
            Regex("""\bbroke\(""").findAll(turns).count() shouldBe 1
            Regex("""\bcall (==|!=) null""").findAll(turns).toList().shouldBeEmpty()
            for ((name, text) in inTurns) {
                withClue(name) {
                    Regex("""\bcall\.failed\(""").findAll(text).count() shouldBe 1
                    Regex("""\bcall\.completed\(""").findAll(text).count() shouldBe 1
                }
            }
            for ((name, text) in loops) {
                withClue(name) {
                    val isFlow = name.endsWith("FlowRetry.kt")
                    // What a flow does between two attempts is the suspend shell's.
                    for (step in steps) if (!isFlow || step in listOf("ATTEMPT", "DONE")) text shouldContain step
                    Regex("""\bcall\.failed\(""").findAll(text).count() shouldBe 1
                    // A flow's call succeeds with its end, and when its attempts start over.
                    Regex("""\bcall\.completed\(""").findAll(text).count() shouldBe if (isFlow) 2 else 1
                    Regex("""\bcall\.broke\(""").findAll(text).count() shouldBe 1
                    Regex("""\bcall (==|!=) null""").findAll(text).toList().shouldBeEmpty()
                }
            }
        }

        test("nothing but the shells drives a call") {
            val modules = listOf("retry-coroutines", "retry-java", "retry-ktor", "integrations", "checks", "lab")
            val drivers =
                modules.flatMap { module ->
                    Files.walk(project.resolve(module)).use { paths ->
                        paths.asSequence()
                            .filter { it.extension == "kt" || it.extension == "java" }
                            .map { project.relativize(it).joinToString("/") }
                            .filter { "/src/main/" in it && judged.containsMatchIn(project.resolve(it).readText()) }
                            .toList()
                    }
                }
            drivers shouldContainExactlyInAnyOrder loops.keys + inTurns.keys + insideOut
        }

        test("each loop that Java callers run is small enough for the compiler to put it into its caller") {
            val bodies = mapOf(
                "dev.reprise.java.BlockingLoop" to "execute",
                "dev.reprise.coroutines.shell.TurnLoop" to "turn",
            )
            for ((type, loop) in bodies) withClue("$type.$loop") { bytesOf(type, loop) shouldBeInRange 100..MOST_BYTES }
        }

        test("the page of the shells shows them as they are") {
            val page = project.resolve("docs/research/shells.md").readText()
            val shown = Regex(
                "<!-- source: ([^\n]*) -->\n```(?:kotlin|java)\n(.*?)```",
                RegexOption.DOT_MATCHES_ALL,
            ).findAll(page).toList()
            shown shouldHaveAtLeastSize 3
            for (each in shown) {
                val (file, snippet) = each.destructured
                withClue(file) { plain(project.resolve(file).readText()) shouldContain plain(snippet) }
            }
        }
    })

private fun plain(text: String) = text.lines().joinToString("\n") { it.trim() }.trim()

/** The bytes of bytecode of the largest method [method] of [type], as javap counts them. */
private fun bytesOf(type: String, method: String): Int {
    val place = Path.of(Class.forName(type).protectionDomain.codeSource.location.toURI())
    val text = StringWriter()
    val javap = ToolProvider.findFirst("javap").orElseThrow()
    javap.run(PrintWriter(text), PrintWriter(System.err), "-c", "-p", "-cp", "$place", type)
    val head = Regex("""(?m)^ {2}\S.*\b$method\(.*;$""")
    val bodies = text.toString().split("\n\n").filter { head.containsMatchIn(it) }
    return bodies.maxOf { body ->
        Regex("""(?m)^ +(\d+): [a-z]""").findAll(body).last().groupValues[1].toInt() + 1
    }
}
