package dev.reprise.lab.run

import com.github.ajalt.mordant.animation.progress.animateOnThread
import com.github.ajalt.mordant.animation.progress.execute
import com.github.ajalt.mordant.rendering.AnsiLevel
import com.github.ajalt.mordant.terminal.PrintRequest
import com.github.ajalt.mordant.terminal.Terminal
import com.github.ajalt.mordant.terminal.TerminalInterface
import com.github.ajalt.mordant.widgets.progress.percentage
import com.github.ajalt.mordant.widgets.progress.progressBar
import com.github.ajalt.mordant.widgets.progress.progressBarContextLayout
import com.github.ajalt.mordant.widgets.progress.text
import com.github.ajalt.mordant.widgets.progress.timeRemaining
import java.io.IOException
import java.util.concurrent.ExecutionException
import java.util.concurrent.Future

/**
 * One line at the bottom of a terminal with the name, the progress and the remaining time of the work; gone when
 * closed.
 */
internal class ProgressBar private constructor(terminal: Terminal) : AutoCloseable {
    private val animation = progressBarContextLayout<String> {
        text { context }
        progressBar()
        percentage()
        timeRemaining(compact = true)
    }.animateOnThread(terminal, context = "", clearWhenFinished = true)
    private val drawing: Future<*> = animation.execute()

    fun begin(what: String, count: Int) = animation.reset {
        context = what
        completed = 0
        // The library stops drawing at the last step; there may be more to come.
        total = count + 1L
    }

    fun step() = animation.update { completed += 1 }

    override fun close() {
        try {
            animation.clear()
            drawing.get()
        } catch (_: IllegalStateException) {
            // After Ctrl-C the library cannot take back its promise to show the cursor at the end; so it does that then.
        } catch (_: ExecutionException) {
            // The same, where the drawing thread comes first.
        }
    }

    companion object {
        /** A bar on standard error, or `null` if that is no terminal. */
        fun onTerminal(): ProgressBar? {
            if (System.getenv("TERM") == "dumb" || !isTerminal()) return null
            val standard = Terminal(interactive = true).terminalInterface
            val level = if (System.getenv("NO_COLOR").isNullOrEmpty()) AnsiLevel.ANSI16 else AnsiLevel.NONE
            return ProgressBar(Terminal(level, interactive = true, terminalInterface = OnStandardError(standard)))
        }

        /** The JVM cannot tell for standard error alone; where there is no `test`, there is no bar. */
        private fun isTerminal(): Boolean = try {
            ProcessBuilder("test", "-t", "2").inheritIO().start().waitFor() == 0
        } catch (_: IOException) {
            false
        }
    }

    private class OnStandardError(private val terminal: TerminalInterface) : TerminalInterface by terminal {
        override fun completePrintRequest(request: PrintRequest) =
            terminal.completePrintRequest(request.copy(stderr = true))
    }
}
