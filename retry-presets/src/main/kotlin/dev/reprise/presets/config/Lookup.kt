package dev.reprise.presets.config

/** Finds texts in their order of precedence. Blank ones count as absent everywhere, and all are trimmed. */
internal class Lookup(private val sources: ConfigSources, private val overrides: ConfigOverrides) {
    val configFile: Setting<String> = overrides.configFile?.let { Setting(it, CODE) }
        ?: outside("aws.configFile", "AWS_CONFIG_FILE")
        ?: Setting("~/.aws/config", "default")

    val profile: Setting<String> = overrides.profile?.let { Setting(it, CODE) }
        ?: outside("aws.profile", "AWS_PROFILE")
        ?: Setting("default", "default")

    private val path = expanded(configFile.value)
    private val file: ProfileFile? by lazy(LazyThreadSafetyMode.NONE) {
        sources.file(path)?.let { ProfileFile.parse(it, path) }.also(::requireWhatCodeAsksFor)
    }

    /** The JVM system property, else the environment variable; values that are not [known] count as absent. */
    fun outside(property: String, environment: String, known: (String) -> Boolean = { true }): Setting<String>? =
        found(sources.property(property), "property $property")?.takeIf { known(it.value) }
            ?: found(sources.environment(environment), "environment $environment")?.takeIf { known(it.value) }

    /** The setting from [outside], else the [key] of the profile. */
    fun find(property: String, environment: String, key: String): Setting<String>? = outside(property, environment)
        ?: file?.property(profile.value, key)?.let { Setting(it.value, shownFile(path, it.line)) }

    /**
     * A file or profile that the code names must exist. One that the environment names need not, as in the SDKs: the
     * environment is set for many programs, and a profile may exist in the credentials file alone, which this library
     * does not read.
     */
    private fun requireWhatCodeAsksFor(file: ProfileFile?) {
        if (file == null && overrides.configFile != null) refuse(shownFile(path))
        val name = overrides.profile ?: return
        if (file == null || !file.has(name)) refuse("profile $name in ${shownFile(path)}")
    }

    private fun refuse(source: String): Nothing =
        throw ConfigException(source, "must be there, because the code names it", "absent")

    private fun found(text: String?, source: String): Setting<String>? =
        text?.trim()?.takeIf { it.isNotEmpty() }?.let { Setting(it, source) }

    private fun expanded(path: String): String {
        val home = sources.home() ?: return path
        return if (path.startsWith("~/") || path.startsWith("~\\")) home + path.substring(1) else path
    }

    companion object {
        const val CODE = "code"
    }
}
