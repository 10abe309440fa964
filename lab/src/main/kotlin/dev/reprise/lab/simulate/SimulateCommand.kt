package dev.reprise.lab.simulate

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.subcommands

/** `retry-lab simulate`: the experiments, and whatever a scenario file describes. */
class SimulateCommand : NoOpCliktCommand(name = "simulate") {
    init {
        subcommands(
            OutageCommand("outage", OUTAGE),
            OutageCommand("stall", STALL),
            errors(),
            partial(),
            overload(),
            ThrottleCommand(),
            LayersCommand(),
            hedge(),
            fanOut(),
            saturated(),
            stability(),
            occ(),
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

    private companion object {
        const val OUTAGE =
            "A fleet, and a server that is down for a while: what retries add to its load, and how long it " +
                "takes to recover."
        const val STALL = "A fleet, and a server that loses requests for a while: who comes back, and who never does."
    }
}
