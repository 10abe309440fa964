package dev.reprise.fuzz

import com.code_intelligence.jazzer.api.FuzzedDataProvider
import com.code_intelligence.jazzer.junit.FuzzTest
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.ConfigSources
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue

/** Any profile file gives settings that are in range, or one documented refusal that does not show its keys. */
class ProfileFileFuzzTest {
    @FuzzTest(maxDuration = "1m")
    fun profileFile(data: FuzzedDataProvider) {
        val text = data.text()
        val keys = SECRET.findAll(text).map { it.groupValues[1] }.toList()
        try {
            val config = AwsRetryConfig.resolve(null, sources = Sources(text))
            assertTrue(config.maxAttempts.value >= 1)
            config.policy()
        } catch (refusal: ConfigException) {
            requireOneLine(refusal.message.orEmpty())
            for (key in keys) assertFalse(key in refusal.message.orEmpty()) { "shows the key $key" }
        }
    }

    private class Sources(private val text: String) : ConfigSources {
        override fun property(name: String): String? = null

        override fun environment(name: String): String? = null

        override fun home(): String = "/home/me"

        override fun file(path: String): String = text
    }

    private companion object {
        val SECRET = Regex("secret[^\\n]*?([A-Za-z0-9/+]{25,})")
    }
}
