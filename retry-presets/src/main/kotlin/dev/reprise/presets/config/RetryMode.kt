package dev.reprise.presets.config

/** The retry modes that AWS users choose between. */
public enum class RetryMode(
    /** The word in configuration. */
    internal val word: String,
) {
    /** The AWS SDK for Java v2 before standard mode: the preset `java-v2-legacy`. */
    LEGACY("legacy"),

    /** Standard mode: the preset `standard-2.1`, or `standard-2.0` where the older generation is asked for. */
    STANDARD("standard"),

    /** Standard mode with a send-rate limiter: `adaptive-2.1` or `adaptive-2.0`. */
    ADAPTIVE("adaptive"),
    ;

    override fun toString(): String = word

    internal companion object {
        /** The mode called [word], in any case, or `null`. */
        fun named(word: String): RetryMode? = entries.find { it.word.equals(word, ignoreCase = true) }
    }
}
