package dev.reprise.aws.kotlin

import dev.reprise.core.RetryPolicy
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.File

/** Prints the attempts that a strategy announces to the service. */
internal object Announced {
    @JvmStatic
    fun main(args: Array<String>) = println(RepriseRetryStrategy(RetryPolicy.STANDARD).config.maxAttempts)
}

class RetriesOffTest :
    FunSpec({
        test("where the process makes no retries, a request announces one attempt") {
            fun announced(vararg flags: String): String {
                val java = File(System.getProperty("java.home"), "bin/java").path
                val path = System.getProperty("java.class.path")
                return ProcessBuilder(java, *flags, "-cp", path, Announced::class.java.name).start()
                    .inputStream.use { it.readBytes().decodeToString().trim() }
            }
            announced() shouldBe "3"
            announced("-Ddev.reprise.retries=off") shouldBe "1"
        }
    })
