package dev.reprise.presets.config

/**
 * Where configuration is looked for. [system] is the real process; tests and programs with settings of their own pass in
 * another. Called while a configuration is resolved and never afterwards.
 */
public interface ConfigSources {
    /** The JVM system property [name], or `null`. */
    public fun property(name: String): String?

    /** The environment variable [name], or `null`. */
    public fun environment(name: String): String?

    /** The user's home folder, which a path that begins with `~/` starts from; `null` if it is not known. */
    public fun home(): String?

    /**
     * The text of the file at [path], or `null` if there is none.
     *
     * @throws ConfigException if it is there and cannot be read: it is no regular file, or larger than 4 MiB
     */
    public fun file(path: String): String?

    public companion object {
        /** The properties, the environment and the files of this process. */
        @JvmStatic
        public fun system(): ConfigSources = SystemConfigSources
    }
}
