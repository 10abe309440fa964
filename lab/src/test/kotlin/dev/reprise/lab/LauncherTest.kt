package dev.reprise.lab

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File

/** `lab/bin/retry-lab` in a checkout of its own, beside a `java` and an `mvn` that say what they were asked. */
class LauncherTest :
    FunSpec({
        class Ran(val code: Int, val out: String, val err: String)

        class Checkout(private val root: File, mvn: String) {
            val jar = File(root, "lab/target/retry-lab.jar")
            private val launcher = File(root, "lab/bin/retry-lab")

            init {
                launcher.parentFile.mkdirs()
                jar.parentFile.mkdirs()
                File("bin/retry-lab").copyTo(launcher).setExecutable(true)
                program("java", "for word; do echo \"[\$word]\"; done; exit 7")
                program("mvn", mvn)
            }

            private fun program(name: String, text: String) = File(root, "programs/$name").run {
                parentFile.mkdirs()
                writeText("#!/bin/sh\n$text\n")
                setExecutable(true)
            }

            fun run(vararg arguments: String): Ran {
                val (out, err) = File(root, "out") to File(root, "err")
                val builder = ProcessBuilder(launcher.path, *arguments).redirectOutput(out).redirectError(err)
                builder.environment().let { it["PATH"] = "$root/programs:${it["PATH"]}" }
                return Ran(builder.start().waitFor(), out.readText(), err.readText())
            }
        }

        val built = "echo '[INFO] Building Reprise core 1.0 [1/2]'; echo '[INFO] noise'; " +
            "echo x > ${'$'}{0%/programs/mvn}/lab/target/retry-lab.jar"

        test(
            "the first command builds the jar, tells each module on standard error, and hands everything on as it is",
        ) {
            val checkout = Checkout(tempdir(), built)
            val first = checkout.run("simulate", "outage", "--assert", "amplification < 2")
            first.code shouldBe 7
            first.out shouldBe "[-jar]\n[${checkout.jar}]\n[simulate]\n[outage]\n[--assert]\n[amplification < 2]\n"
            first.err shouldBe "Building the lab, once:\n  1/2 Reprise core 1.0\n"
            checkout.run("demo").err shouldBe ""
            checkout.run("--rebuild", "demo").let {
                it.err shouldContain "1/2 Reprise core"
                it.out shouldBe "[-jar]\n[${checkout.jar}]\n[demo]\n"
            }
        }

        test("a build that fails is told with its errors, and nothing runs") {
            val ran = Checkout(tempdir(), "echo '[ERROR] no JDK'; exit 1").run("demo")
            ran.code shouldBe 1
            ran.out shouldBe ""
            ran.err shouldContain "[ERROR] no JDK"
            ran.err shouldContain "The lab cannot be built."
        }
    })
