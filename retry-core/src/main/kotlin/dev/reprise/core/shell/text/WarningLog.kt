package dev.reprise.core.shell.text

import dev.reprise.core.shell.ShellApi
import java.util.concurrent.ConcurrentHashMap

/** Logs each warning about a program's policies once, at most fifty in all. Safe for any number of threads. */
@ShellApi
public object WarningLog {
    /** The most warnings that are logged: more do not help, and their texts are kept. */
    private const val MOST = 50

    /** The logger of the whole library. */
    internal const val LOGGER = "dev.reprise"

    private val told = ConcurrentHashMap.newKeySet<String>()

    internal fun tellMistake(warning: String) = tell("probably a mistake in a retry policy: $warning")

    /** Logs [warning] unless it was logged before. Never throws. */
    public fun tell(warning: String) {
        if (isFirst(warning)) log("WARNING", warning)
    }

    /** Whether [text] has not been logged yet, and is to be logged now. */
    internal fun isFirst(text: String): Boolean = told.size < MOST && told.add(text)

    /** Logs [line] at [level]. Never throws, even if the logger does. */
    internal fun log(level: String, line: String, failure: Throwable? = null) = try {
        Log.platforms().log(level, { line }, failure)
    } catch (_: Throwable) {
        // A broken logger. A warning must not cost a retrier.
    }
}
