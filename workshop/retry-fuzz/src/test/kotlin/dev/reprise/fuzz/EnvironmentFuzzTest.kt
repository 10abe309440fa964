package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.ConfigSources
import org.junit.jupiter.api.Assertions.assertTrue

/** Any environment gives settings that are in range, or one documented refusal; the settings print and become JSON. */
class EnvironmentFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun environment(data: FuzzedDataProvider) {
        val isSwitched = data.consumeBoolean()
        val values = List(NAMES.size) { data.consumeString(LONGEST_VALUE).takeIf { it.isNotEmpty() } }
        val sources = Sources(values, data.text())
        val overrides = ConfigOverrides { sdkSwitch(isSwitched) }
        val config =
            readOrRefuse<ConfigException, _> { AwsRetryConfig.resolve("dynamodb", overrides, sources) } ?: return
        assertTrue(config.maxAttempts.value >= 1)
        config.toJson()
        config.policy()
    }

    private class Sources(private val values: List<String?>, private val file: String) : ConfigSources {
        override fun property(name: String): String? = value(name)

        override fun environment(name: String): String? = value(name)

        override fun home(): String? = values[0]

        override fun file(path: String): String? = file.takeIf { it.isNotEmpty() }

        private fun value(name: String) = NAMES.indexOf(name).takeIf { it >= 0 }?.let { values[it] }
    }

    private companion object {
        const val LONGEST_VALUE = 50
        val NAMES = listOf(
            "user.home",
            "aws.retryMode",
            "AWS_RETRY_MODE",
            "aws.maxAttempts",
            "AWS_MAX_ATTEMPTS",
            "AWS_PROFILE",
            "AWS_CONFIG_FILE",
            "AWS_NEW_RETRIES_2026",
        )
    }
}
