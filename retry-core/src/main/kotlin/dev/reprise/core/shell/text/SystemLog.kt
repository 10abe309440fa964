package dev.reprise.core.shell.text

import dev.reprise.core.shell.JvmOnly
import java.util.function.Supplier

/** The `System.Logger` called [name]. */
@JvmOnly
internal class SystemLog(name: String) : Log {
    private val logger = System.getLogger(name)

    override fun log(level: String, line: Supplier<String>, failure: Throwable?): Unit =
        logger.log(System.Logger.Level.valueOf(level), line, failure)
}
