package dev.reprise.lab

import com.github.ajalt.clikt.core.CliktError
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.UsageError
import com.github.ajalt.clikt.core.context
import com.github.ajalt.clikt.core.parse
import com.github.ajalt.clikt.core.subcommands
import com.github.ajalt.clikt.core.terminal
import com.github.ajalt.clikt.output.MordantHelpFormatter
import com.github.ajalt.mordant.terminal.Terminal
import dev.reprise.lab.demo.DemoCommand
import dev.reprise.lab.explain.ExplainCommand
import dev.reprise.lab.replay.ReplayCommand
import dev.reprise.lab.report.CompareCommand
import dev.reprise.lab.report.ReportCommand
import dev.reprise.lab.simulate.SimulateCommand
import kotlin.system.exitProcess

fun retryLab(): NoOpCliktCommand = RetryLab().subcommands(
    DemoCommand(),
    ReplayCommand(),
    ExplainCommand(),
    SimulateCommand(),
    ReportCommand(),
    CompareCommand(),
)

fun main(args: Array<String>) {
    val lab = retryLab()
    try {
        lab.parse(args)
    } catch (failure: CliktError) {
        lab.echoFormattedHelp(failure)
        // One exit code for all errors of the user, in an option's name as well as in a policy.
        exitProcess(if (failure is UsageError) 2 else failure.statusCode)
    }
}

private class RetryLab : NoOpCliktCommand(name = "retry-lab") {
    init {
        // Tables that go into a file or a pipe are not cut at 79 columns.
        context {
            terminal = Terminal(nonInteractiveWidth = 200)
            helpFormatter = { MordantHelpFormatter(it, showDefaultValues = true) }
        }
    }

    override fun help(context: Context) = "Programs that show what retries do. Each of them has a --help of its own."
}
