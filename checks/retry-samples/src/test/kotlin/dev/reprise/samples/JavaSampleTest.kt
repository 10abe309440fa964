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

private class Sample(
    val folder: String,
    /** The jars and class folders on its module path. */
    jars: String,
    val module: String,
    val main: String,
    val says: List<String>,
) {
    val modulePath = System.getProperty("java.class.path").split(File.pathSeparator)
        .filter { Regex(jars).containsMatchIn(it) }
        .joinToString(File.pathSeparator)
}

private const val KOTLIN = "kotlin-stdlib|kotlinx-(coroutines|serialization)-(core|json)"

private val samples = listOf(
    Sample(
        "src/java-sample",
        "retry-(core|presets|coroutines|java|jdk-http)\\b|$KOTLIN",
        "dev.reprise.samples.java",
        "JavaSample",
        listOf("user 1", "user 8", "8 and 3 attempts", "not repeated: reset"),
    ),
    Sample(
        "src/okhttp-sample",
        "retry-(core|coroutines|java|okhttp)\\b|$KOTLIN|/okhttp-jvm-|/okio-jvm-",
        "dev.reprise.samples.okhttp",
        "OkHttpSample",
        listOf("blocking: well after 2 attempts", "enqueued: well after 2 attempts"),
    ),
)

/** Compiles and runs the Java samples as their users would: by javac, with modules, every warning an error, no Kotlin. */
class JavaSampleTest :
    FunSpec({
        fun run(tool: String, vararg arguments: String): Pair<Int, String> {
            val program = Path.of(System.getProperty("java.home"), "bin", tool).pathString
            val process = ProcessBuilder(program, *arguments).redirectErrorStream(true).start()
            val output = process.inputStream.bufferedReader().readText()
            process.waitFor(60, TimeUnit.SECONDS) shouldBe true
            return process.exitValue() to output
        }

        for (sample in samples) {
            test("${sample.main} compiles without a warning and runs") {
                val out = tempdir().path
                val files = Path.of(sample.folder).walk().filter { it.extension == "java" }
                    .map { it.pathString }.toList().toTypedArray()
                val strict = arrayOf("--release", "17", "-Xlint:all", "-Werror")
                val (compiled, complaints) = run("javac", *strict, "-p", sample.modulePath, "-d", out, *files)
                withClue(complaints) { compiled shouldBe 0 }

                val program = "${sample.module}/${sample.module}.${sample.main}"
                val (ran, output) = run("java", "-p", sample.modulePath + File.pathSeparator + out, "-m", program)
                withClue(output) {
                    ran shouldBe 0
                    sample.says.forEach { output shouldContain it }
                }
            }
        }
    })
