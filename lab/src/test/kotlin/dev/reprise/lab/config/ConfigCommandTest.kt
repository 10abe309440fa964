package dev.reprise.lab.config

import com.github.ajalt.clikt.testing.test
import dev.reprise.presets.config.ConfigSources
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

private class Variables(private vararg val variables: Pair<String, String>) : ConfigSources {
    override fun property(name: String): String? = null

    override fun environment(name: String): String? = variables.toMap()[name]

    override fun home(): String? = null

    override fun file(path: String): String? = if (path == "own") "[default]\nmax_attempts = 8" else null
}

class ConfigCommandTest :
    FunSpec({
        test("each setting is shown with its value and source") {
            val result = ConfigCommand(Variables("AWS_RETRY_MODE" to "standard")).test("--json --config-file own")

            result.statusCode shouldBe 0
            result.stdout shouldContain
                """{"retryMode":{"value":"standard","source":"environment AWS_RETRY_MODE"},""" +
                """"maxAttempts":{"value":8,"source":"file own line 2"}"""
        }

        test("the table says the preset too") {
            val output = ConfigCommand(Variables()).test("--service dynamodb --retry-mode adaptive").stdout

            output shouldContain "adaptive-2.1 for dynamodb"
            output shouldContain "default of service dynamodb"
        }

        test("a wrong setting ends with exit code 2 and one line") {
            val result = ConfigCommand(Variables("AWS_MAX_ATTEMPTS" to "0")).test("")

            result.statusCode shouldBe 2
            result.stderr.trim() shouldBe
                "environment AWS_MAX_ATTEMPTS: must be a whole number from 1 to 2147483647: 0"
        }

        test("a misspelt service is refused, whether or not its defaults would be looked at") {
            for (more in listOf("", " --max-attempts 4")) {
                val result = ConfigCommand(Variables()).test("--service dynamdb$more")

                result.statusCode shouldBe 2
                result.stderr.trim() shouldBe "service must be dynamodb, or a name less like it: dynamdb"
            }
        }
    })
