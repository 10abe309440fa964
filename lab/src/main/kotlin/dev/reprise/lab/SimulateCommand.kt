package dev.reprise.lab

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.subcommands
import dev.reprise.lab.experiment.ErrorsCommand
import dev.reprise.lab.experiment.FileCommand
import dev.reprise.lab.experiment.OccCommand
import dev.reprise.lab.experiment.OutageCommand
import dev.reprise.lab.experiment.PartialCommand
import dev.reprise.lab.experiment.StallCommand
import dev.reprise.lab.experiment.ThrottleCommand
import dev.reprise.lab.stability.StabilityCommand

/** `retry-lab simulate`: the experiments, and whatever a scenario file describes. */
class SimulateCommand : NoOpCliktCommand(name = "simulate") {
    init {
        subcommands(
            OutageCommand(),
            StallCommand(),
            ThrottleCommand(),
            ErrorsCommand(),
            PartialCommand(),
            StabilityCommand(),
            OccCommand(),
            FileCommand(),
        )
    }

    /** `simulate FILE` is short for `simulate file FILE`: what has a dot or a slash in it is no command. */
    override fun aliases(): Map<String, List<String>> = object : AbstractMap<String, List<String>>() {
        override val entries: Set<Map.Entry<String, List<String>>> get() = emptySet()

        override fun containsKey(key: String) = !key.startsWith("-") && ('.' in key || '/' in key)

        override fun get(key: String) = if (containsKey(key)) listOf("file", key) else null
    }

    override fun help(context: Context) =
        "Try policies on a simulated fleet, in virtual time, with the real engine. A FILE describes a fleet of your own."
}
