package dev.reprise.presets.config

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.Presets
import dev.reprise.presets.document.jsonObject
import kotlinx.serialization.json.JsonObject

/**
 * The retry settings of AWS users. Each is looked up separately: in the code, else as a JVM system property, else in
 * the environment, else in the profile file, else the service's default, else the mode's.
 *
 * | setting | property | environment | profile key | default |
 * |---|---|---|---|---|
 * | [retryMode] | `aws.retryMode` | `AWS_RETRY_MODE` | `retry_mode` | standard |
 * | [maxAttempts] | `aws.maxAttempts` | `AWS_MAX_ATTEMPTS` | `max_attempts` | the service's, else the mode's |
 * | [configFile] | `aws.configFile` | `AWS_CONFIG_FILE` | | `~/.aws/config` |
 * | [profile] | `aws.profile` | `AWS_PROFILE` | | `default` |
 * | [generation] | `aws.newRetries2026` | `AWS_NEW_RETRIES_2026` | | 2.1 |
 *
 * A blank value counts as absent, and so does a missing file or profile. But a file or profile that the code names must
 * exist when a setting is looked up in it. The generation is looked up only if the code asks for the SDKs' switch;
 * values other than `true` and `false` are ignored. Immutable.
 */
public class AwsRetryConfig private constructor(
    /** The service that was asked for, or `null`. */
    public val service: String?,
    /** The retry mode. */
    public val retryMode: Setting<RetryMode>,
    /** The most attempts of a call, the first among them. */
    public val maxAttempts: Setting<Int>,
    /** The generation of standard and adaptive mode: `2.1` or `2.0`. */
    public val generation: Setting<String>,
    /** The profile in the configuration file. */
    public val profile: Setting<String>,
    /** The path of the configuration file, as it was found. */
    public val configFile: Setting<String>,
) {
    /** The name of the preset that the mode and the generation stand for. */
    public val preset: String get() = presetOf(retryMode.value, generation.value)

    /** The policy that these settings make. */
    public fun policy(): RetryPolicy = Presets.named(preset, service).toBuilder().maxAttempts(maxAttempts.value).build()

    /** Each setting with its value and source, as JSON. */
    public fun toJson(): JsonObject = jsonObject {
        put("retryMode", json(retryMode))
        put("maxAttempts", json(maxAttempts))
        put("generation", json(generation))
        put("profile", json(profile))
        put("configFile", json(configFile))
    }

    private fun json(setting: Setting<Any>): JsonObject = jsonObject {
        setting.value.let { if (it is Int) number("value", it) else text("value", "$it") }
        text("source", setting.source)
    }

    override fun toString(): String = "config(retryMode $retryMode, maxAttempts $maxAttempts, generation $generation)"

    public companion object {
        /**
         * Resolves the settings for [service], or for no service in particular.
         *
         * @throws ConfigException if a setting is there and is wrong
         */
        @JvmStatic
        @JvmOverloads
        public fun resolve(
            service: String? = null,
            overrides: ConfigOverrides = ConfigOverrides.NONE,
            sources: ConfigSources = ConfigSources.system(),
        ): AwsRetryConfig {
            val lookup = Lookup(sources, overrides)
            val mode = overrides.retryMode?.let { Setting(it, Lookup.CODE) } ?: retryMode(lookup)
            val generation = generation(lookup, overrides)
            val attempts = overrides.maxAttempts?.let { Setting(it, Lookup.CODE) }
                ?: maxAttempts(lookup)
                ?: defaultAttempts(presetOf(mode.value, generation.value), mode.value, service)
            return AwsRetryConfig(service, mode, attempts, generation, lookup.profile, lookup.configFile)
        }

        private fun retryMode(lookup: Lookup): Setting<RetryMode> {
            val found = lookup.find("aws.retryMode", "AWS_RETRY_MODE", "retry_mode")
                ?: return Setting(RetryMode.STANDARD, "default")
            val mode = RetryMode.named(found.value)
                ?: wrong(found, "must be one of ${RetryMode.entries.joinToString()}")
            return Setting(mode, found.source)
        }

        private fun maxAttempts(lookup: Lookup): Setting<Int>? {
            val found = lookup.find("aws.maxAttempts", "AWS_MAX_ATTEMPTS", "max_attempts") ?: return null
            val attempts = found.value.takeIf { NUMBER.matches(it) }?.toIntOrNull()?.takeIf { it >= 1 }
                ?: wrong(found, "must be a whole number from 1 to ${Int.MAX_VALUE}")
            return Setting(attempts, found.source)
        }

        private fun wrong(found: Setting<String>, rule: String): Nothing =
            throw ConfigException(found.source, rule, shownValue(found.value))

        private fun generation(lookup: Lookup, overrides: ConfigOverrides): Setting<String> {
            if (!overrides.sdkSwitch) return Setting(NEW, "default")
            val found = lookup.outside("aws.newRetries2026", "AWS_NEW_RETRIES_2026") { it.lowercase() in SWITCH }
            return found?.let { Setting(SWITCH.getValue(it.value.lowercase()), it.source) } ?: Setting(NEW, "default")
        }

        private fun defaultAttempts(preset: String, mode: RetryMode, service: String?): Setting<Int> {
            val ofMode = Presets.named(preset).maxAttempts
            val ofService = Presets.named(preset, service).maxAttempts
            val source = if (ofService == ofMode) "default of $mode mode" else "default of service $service"
            return Setting(ofService, source)
        }

        private fun presetOf(mode: RetryMode, generation: String): String = when (mode) {
            RetryMode.LEGACY -> "java-v2-legacy"
            RetryMode.STANDARD -> "standard-$generation"
            RetryMode.ADAPTIVE -> "adaptive-$generation"
        }

        private const val NEW = "2.1"
        private val SWITCH = mapOf("true" to NEW, "false" to "2.0")
        private val NUMBER = Regex("[-+]?+[0-9]{1,19}+")
    }
}

/**
 * The policy that properties, environment and profile file make for [service], as AWS users set them; see [AwsRetryConfig],
 * whose `resolve` is the way for Java.
 *
 * @throws ConfigException if a setting is there and is wrong
 */
@JvmSynthetic
public fun RetryPolicy.Companion.fromEnvironment(
    service: String? = null,
    overrides: ConfigOverrides = ConfigOverrides.NONE,
    sources: ConfigSources = ConfigSources.system(),
): RetryPolicy = AwsRetryConfig.resolve(service, overrides, sources).policy()
