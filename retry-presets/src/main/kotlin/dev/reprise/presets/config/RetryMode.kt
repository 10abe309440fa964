package dev.reprise.presets.config

/** The retry modes that AWS users choose between. */
public enum class RetryMode {
    /** The AWS SDK for Java v2 before standard mode: the preset `java-v2-legacy`. */
    LEGACY,

    /** Standard mode: the preset `standard-2.1`, or `standard-2.0` where the older generation is asked for. */
    STANDARD,

    /** Standard mode with a send-rate limiter: `adaptive-2.1` or `adaptive-2.0`. */
    ADAPTIVE,
    ;

    /** The word in configuration. */
    override fun toString(): String = name.lowercase()

    internal companion object {
        /** The mode called [word], in any case, or `null`. */
        fun named(word: String): RetryMode? = entries.find { it.name.equals(word, ignoreCase = true) }
    }
}
