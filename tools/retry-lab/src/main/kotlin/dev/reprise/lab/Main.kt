package dev.reprise.lab

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.main
import com.github.ajalt.clikt.core.subcommands
import dev.reprise.lab.demo.DemoCommand

/** Every program of the lab; one line each. */
fun retryLab(): NoOpCliktCommand = RetryLab().subcommands(
    DemoCommand(),
)

fun main(args: Array<String>) = retryLab().main(args)

private class RetryLab : NoOpCliktCommand(name = "retry-lab") {
    override fun help(context: Context) = "Programs that show what retries do. Each of them has a --help of its own."
}
