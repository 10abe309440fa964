package dev.reprise.lab.report

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.file.shouldExist
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.toKotlinDuration

/** How long anything may take on a busy machine. Nothing here is right or wrong by how long it took. */
private val PATIENCE = 3.minutes

/** Starts the real program and stops it: SIGTERM takes the way of SIGINT. */
class StoppedTest :
    FunSpec({
        val folder = tempdir()

        /** Runs the program while [use] looks on; none is left behind, however that ends. */
        suspend fun lab(vararg arguments: String, use: suspend (Process) -> Unit) {
            val program = ProcessBuilder(
                File(System.getProperty("java.home"), "bin/java").path,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.reprise.lab.MainKt",
                *arguments,
            ).redirectOutput(File(folder, "out")).redirectError(File(folder, "err")).start()
            try {
                use(program)
            } finally {
                program.destroyForcibly().waitFor()
            }
        }

        fun out() = File(folder, "out").readText()

        fun Process.stop() {
            destroy()
            waitFor(PATIENCE.inWholeSeconds, TimeUnit.SECONDS) shouldBe true
            exitValue() shouldNotBe 0
        }

        suspend fun Process.works(atLeast: Duration) = eventually(PATIENCE) {
            val worked = info().totalCpuDuration().get().toKotlinDuration()
            worked.inWholeMilliseconds shouldBeGreaterThan atLeast.inWholeMilliseconds
        }

        test("a report that is stopped leaves a page of what is done, which says what it lacks") {
            lab("report", "--out", "$folder/page") { report ->
                val page = File(folder, "page/index.html")
                eventually(PATIENCE) {
                    page.shouldExist()
                    page.readText() shouldContain "<h2>A server that fails for a while</h2>"
                }
                report.stop()
                page.readText() shouldContain "This report is partial"
                page.readText() shouldContain "throttle.</p>"
                page.readText() shouldContain "</html>"
                // JDK 25 warns of native code on a class path; the jar's manifest allows it, and says nothing.
                File(folder, "err").readLines().filterNot { it.isBlank() || it.startsWith("WARNING: ") }.shouldBeEmpty()
            }
        }
    })
