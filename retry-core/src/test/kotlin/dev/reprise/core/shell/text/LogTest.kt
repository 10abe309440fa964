package dev.reprise.core.shell.text

import dev.reprise.build.logged
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.util.logging.Level
import java.util.logging.Logger

class LogTest :
    FunSpec({
        test("the JVM has a system logger") { Log.platforms().shouldBeInstanceOf<SystemLog>() }

        test("what Android logs is what the JVM's own logger makes of it") {
            val logger = Logger.getLogger("dev.reprise")
            logger.level = Level.ALL
            try {
                val (first, second) = listOf(SystemLog("dev.reprise"), UtilLog(logger)).map { log ->
                    logged("dev.reprise") {
                        for (level in listOf("TRACE", "DEBUG", "INFO", "WARNING")) log.log(level, { "line at $level" })
                        log.log("WARNING", { "failed" }, FAILURE)
                    }.map { Triple(it.level, it.message, it.thrown) }
                }

                second shouldContainExactly first
                second.last() shouldBe Triple(Level.WARNING, "failed", FAILURE)
            } finally {
                logger.level = null
            }
        }
    }) {
    private companion object {
        val FAILURE = IllegalStateException("broken")
    }
}
