package dev.reprise.lab.replay

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.ProgramResult
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.help
import com.github.ajalt.clikt.parameters.arguments.optional
import dev.reprise.presets.document.PolicyFormatException
import java.io.IOException
import java.nio.charset.CharacterCodingException
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path
import java.util.logging.Level
import java.util.logging.Logger

internal class ReplayCommand : CliktCommand(name = "replay") {
    private val file by argument("FILE").optional().help("The scenario; standard input if absent.")

    override fun help(context: Context) =
        "What would my policy do? Runs the real engine in virtual time on outcomes that are written down, and prints " +
            "one JSON object for each outcome."

    override fun helpEpilog(context: Context) = HELP

    override fun run() {
        // What the library says to programs that retry; here it would stand beside the one line that says what is wrong.
        LIBRARY.level = Level.OFF
        val lines = try {
            ScenarioReader.read(input()).flatMap(Replay()::play)
        } catch (failure: PolicyFormatException) {
            fail(failure.message!!)
        } catch (failure: CharacterCodingException) {
            fail("must be UTF-8")
        } catch (failure: IOException) {
            fail("cannot be read: $failure")
        } catch (failure: InvalidPathException) {
            fail("cannot be read: $failure")
        }
        System.out.write(lines.joinToString("") { it + "\n" }.toByteArray())
        System.out.flush()
    }

    private fun input(): String = file?.let { Files.readString(Path.of(it)) } ?: System.`in`.reader().readText()

    private fun fail(problem: String): Nothing {
        echo("${file ?: "standard input"}: $problem".replace(LINE_BREAKS, " "), err = true)
        throw ProgramResult(2)
    }

    private companion object {
        val LINE_BREAKS = Regex("\\R")

        /** Held here: a logger that nobody holds is made anew, with its level. */
        val LIBRARY: Logger = Logger.getLogger("dev.reprise")

        val EXAMPLE = """
            {"name": "twice broken",
             "policy": {"preset": "standard-2.1", "maxAttempts": 5},
             "draws": [0.5],
             "calls": [{"outcomes": [
               {"status": 500},
               {"exception": "java.net.SocketTimeoutException", "takes": 0.2},
               {"status": 200}]}]}
        """.trimIndent().replace('\n', LINE_BREAK).replace(' ', HARD_SPACE)

        val HELP = "A scenario is a policy, and calls with an outcome for each attempt:\n\n$EXAMPLE\n\n" +
            "An array of scenarios is played one after another. Draws are what the jitter gets, from 0 to 1: the " +
            "last one repeats, and without any the waits are the longest there are. A scenario that cannot be read " +
            "ends with exit code 2 and one line on standard error that says what and where. docs/replay.md " +
            "describes everything."
    }
}

/** A line break at which Clikt does not wrap. */
private const val LINE_BREAK = '\u0085'
private const val HARD_SPACE = '\u00a0'
