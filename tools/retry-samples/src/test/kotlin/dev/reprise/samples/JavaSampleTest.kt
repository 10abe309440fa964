package dev.reprise.samples

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.extension
import kotlin.io.path.pathString
import kotlin.io.path.walk

/** Compiles and runs the Java sample as its user would: by javac, with modules, every warning an error, no Kotlin. */
class JavaSampleTest :
    FunSpec({
        val sources = Path.of("src/java-sample")
        val needed =
            Regex("retry-(core|coroutines|java)\\b|kotlin-stdlib|kotlinx-(coroutines|serialization)-(core|json)")
        val modules = System.getProperty("java.class.path").split(File.pathSeparator)
            .filter { needed.containsMatchIn(it) }
            .joinToString(File.pathSeparator)

        fun run(tool: String, vararg arguments: String): Pair<Int, String> {
            val program = Path.of(System.getProperty("java.home"), "bin", tool).pathString
            val process = ProcessBuilder(program, *arguments).redirectErrorStream(true).start()
            val output = process.inputStream.bufferedReader().readText()
            process.waitFor(60, TimeUnit.SECONDS) shouldBe true
            return process.exitValue() to output
        }

        test("the Java sample compiles without a warning and runs") {
            val out = tempdir().path
            val files = sources.walk().filter { it.extension == "java" }.map { it.pathString }.toList().toTypedArray()
            val (compiled, complaints) =
                run("javac", "--release", "17", "-Xlint:all", "-Werror", "-p", modules, "-d", out, *files)
            withClue(complaints) { compiled shouldBe 0 }

            val module = "dev.reprise.samples.java/dev.reprise.samples.java.JavaSample"
            val (ran, output) = run("java", "-p", modules + File.pathSeparator + out, "-m", module)
            withClue(output) {
                ran shouldBe 0
                output shouldContain "user 1"
                output shouldContain "user 8"
                output shouldContain "not repeated: reset"
            }
        }
    })
