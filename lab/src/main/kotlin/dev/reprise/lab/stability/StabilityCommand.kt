package dev.reprise.lab.stability

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.options.split
import com.github.ajalt.clikt.parameters.types.double
import dev.reprise.lab.experiment.BuiltInCommand
import dev.reprise.lab.experiment.Changes

/** `retry-lab simulate stability`. */
class StabilityCommand : BuiltInCommand("stability") {
    private val calls by option("--calls", help = "calls a second of each client, comma separated").double().split(",")
    private val outages by option("--outages", help = "how long the server is away, in seconds").double().split(",")
    private val timeouts by option("--timeouts", help = "how long an attempt may take, in seconds").double().split(",")
    private val patience by option("--patience", help = "seconds in which a fleet must be back").double()

    override fun help(context: Context) =
        "From which load a fleet does not come back after an outage, by client size and by the outage's length."

    override fun changes(): Changes = Changes().apply {
        numbers("border.calls", calls)
        seconds("border.away", outages)
        seconds("border.timeouts", timeouts)
        seconds("border.patience", patience)
    }
}
