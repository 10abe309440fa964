package dev.reprise.lab.config

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.choice
import com.github.ajalt.clikt.parameters.types.int
import com.github.ajalt.clikt.parameters.types.restrictTo
import com.github.ajalt.mordant.table.table
import dev.reprise.lab.input.checked
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.ConfigSources
import dev.reprise.presets.config.RetryMode
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

class ConfigCommand(private val sources: ConfigSources = ConfigSources.system()) : CliktCommand(name = "config") {
    private val service by option("--service", help = "a service with defaults of its own, such as dynamodb")
    private val retryMode by option("--retry-mode", help = "as if the code set it")
        .choice(RetryMode.entries.associateBy { "$it" })
    private val maxAttempts by option("--max-attempts", help = "as if the code set it").int().restrictTo(min = 1)
    private val profile by option("--profile", help = "the profile in the configuration file")
    private val configFile by option("--config-file", help = "the configuration file")
    private val sdkSwitch by option("--sdk-switch", help = "follow AWS_NEW_RETRIES_2026").flag()
    private val json by option("--json", help = "one JSON object instead of a table").flag()

    override fun help(context: Context) =
        "The retry settings that properties, environment and profile file make here, and where each comes from."

    override fun run() {
        val config = checked {
            val overrides = ConfigOverrides.builder().retryMode(retryMode).maxAttempts(maxAttempts)
                .profile(profile).configFile(configFile).sdkSwitch(sdkSwitch).build()
            // A misspelt service has no settings of its own to look up, but no policy either.
            AwsRetryConfig.resolve(service, overrides, sources).also { it.policy() }
        }
        if (json) echo(config.toJson()) else show(config)
    }

    private fun show(config: AwsRetryConfig) {
        terminal.println(
            table {
                header { row("setting", "value", "source") }
                body {
                    for ((name, setting) in config.toJson()) {
                        val parts = setting.jsonObject.mapValues { it.value.jsonPrimitive.content }
                        row(name, parts["value"], parts["source"])
                    }
                }
            },
        )
        echo("That is the preset ${config.preset}${config.service?.let { " for $it" } ?: ""}.")
    }
}
