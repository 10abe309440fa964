package dev.reprise.core.shell.text

import java.util.function.Supplier
import java.util.logging.Level
import java.util.logging.Logger

/** Where the library logs: the platform's logger `dev.reprise`. Safe for any number of threads. */
internal interface Log {
    /** Logs [line] at [level], `TRACE`, `DEBUG`, `INFO` or `WARNING`. May throw what the logger throws. */
    fun log(level: String, line: Supplier<String>, failure: Throwable? = null)

    companion object {
        /** A `System.Logger`; on Android, which has none, one of `java.util.logging`. */
        fun platforms(): Log = try {
            SystemLog(WarningLog.LOGGER)
        } catch (_: LinkageError) {
            UtilLog(Logger.getLogger(WarningLog.LOGGER))
        }
    }
}

/** Logs where Android does. The JVM needs no `java.logging` for it. */
internal class UtilLog(private val logger: Logger) : Log {
    override fun log(level: String, line: Supplier<String>, failure: Throwable?) {
        val levelThere = when (level) {
            "TRACE" -> Level.FINER
            "DEBUG" -> Level.FINE
            else -> Level.parse(level)
        }
        logger.log(levelThere, failure, line)
    }
}
