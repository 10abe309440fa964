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
import io.kotest.matchers.string.shouldNotContain
import java.io.File
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds

/** Starts the real program and stops it: SIGTERM takes the way of SIGINT. */
class StoppedTest :
    FunSpec({
        val folder = tempdir()

        fun lab(vararg arguments: String): Process = ProcessBuilder(
            File(System.getProperty("java.home"), "bin/java").path,
            "-cp",
            System.getProperty("java.class.path"),
            "dev.reprise.lab.MainKt",
            *arguments,
        ).redirectOutput(File(folder, "out")).redirectError(File(folder, "err")).start()

        fun Process.stop() {
            destroy()
            waitFor(20, TimeUnit.SECONDS) shouldBe true
            exitValue() shouldNotBe 0
        }

        test("a report that is stopped leaves a page of what is done, which says what it lacks") {
            val report = lab("report", "--out", "$folder/page")
            val page = File(folder, "page/index.html")
            eventually(30.seconds) {
                page.shouldExist()
                page.readText() shouldContain "What a call that keeps failing waits"
            }
            report.stop()
            page.readText() shouldContain "This report is partial"
            page.readText() shouldContain "throttle, occ.</p>"
            page.readText() shouldContain "</html>"
            File(folder, "out").readText() shouldContain "This is partial"
            // JDK 25 warns of native code on a class path; the jar's manifest allows it, and says nothing.
            File(folder, "err").readLines().filterNot { it.isBlank() || it.startsWith("WARNING: ") }.shouldBeEmpty()
        }

        test("a simulation that is stopped prints JSON all the same, which says that it is partial") {
            val simulation = lab("simulate", "occ", "--clients", "190", "--runs", "100000", "--json")
            // It has taken Ctrl-C into its own hands once it has begun; before that, there is nothing to leave.
            eventually(30.seconds) {
                simulation.info().totalCpuDuration().get().toMillis() shouldBeGreaterThan 5_000
            }
            simulation.stop()
            File(folder, "out").readText() shouldContain """"partial":true"""
            File(folder, "err").readText() shouldNotContain "Exception"
        }
    })
