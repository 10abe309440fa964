package dev.reprise.presets.config

/** Sources that are written down: no test looks at the real environment. */
internal class FakeSources(
    private val properties: Map<String, String> = emptyMap(),
    private val environment: Map<String, String> = emptyMap(),
    private val files: Map<String, String> = emptyMap(),
) : ConfigSources {
    override fun property(name: String): String? = properties[name]

    override fun environment(name: String): String? = environment[name]

    override fun home(): String = "/home/me"

    override fun file(path: String): String? = files[path]

    companion object {
        const val CONFIG = "/home/me/.aws/config"

        fun ofFile(text: String, environment: Map<String, String> = emptyMap()) =
            FakeSources(environment = environment, files = mapOf(CONFIG to text))
    }
}
