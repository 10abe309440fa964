package dev.reprise.core.shell.text

import java.util.concurrent.ConcurrentHashMap

/** Logs each warning about a program's policies once. */
internal object WarningLog {
    /** The most warnings that are logged: more do not help, and their texts are kept. */
    private const val MOST = 50

    /** The logger of the whole library. */
    const val LOGGER = "dev.reprise"

    private val told = ConcurrentHashMap.newKeySet<String>()

    fun tellMistake(warning: String) = tell("probably a mistake in a retry policy: $warning")

    fun tell(warning: String) {
        if (isFirst(warning)) log(System.Logger.Level.WARNING, warning)
    }

    /** Whether [text] has not been logged yet, and is to be logged now. */
    fun isFirst(text: String): Boolean = told.size < MOST && told.add(text)

    /** Logs [line] at [level]. Never throws, even if the logger does. */
    fun log(level: System.Logger.Level, line: String) = try {
        System.getLogger(LOGGER).log(level, line)
    } catch (_: Throwable) {
        // No logger on this platform, or a broken one. A warning must not cost a retrier.
    }
}
