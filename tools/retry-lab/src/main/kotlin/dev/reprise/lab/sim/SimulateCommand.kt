package dev.reprise.lab.sim

import com.github.ajalt.clikt.core.CliktCommand
import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.core.NoOpCliktCommand
import com.github.ajalt.clikt.core.UsageError
import com.github.ajalt.clikt.core.subcommands
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import com.github.ajalt.clikt.parameters.options.default
import com.github.ajalt.clikt.parameters.options.flag
import com.github.ajalt.clikt.parameters.options.option
import com.github.ajalt.clikt.parameters.types.long
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.arguments.PolicyArgument
import java.util.Locale

/** `retry-lab simulate`: the experiments. */
class SimulateCommand : NoOpCliktCommand(name = "simulate") {
    init {
        subcommands(OccCommand(), OutageCommand(), ThrottleCommand())
    }

    override fun help(context: Context) = "Try policies on a simulated fleet, in virtual time, with the real engine."
}

/** What all experiments take: policies, a seed, and the form of their output. */
abstract class ExperimentCommand(name: String) : CliktCommand(name) {
    private val policies by argument(
        name = "policy",
        help = "a preset, a policy document or a file with one; LABEL=POLICY names it in the output",
    ).multiple()
    protected val seed: Long by option("--seed", help = "for exact repetition").long().default(1)
    protected val json: Boolean by option("--json", help = "JSON instead of a table").flag()

    /** The policies to try where none are given, by label. */
    protected abstract val standard: Map<String, String>

    /** The policies by label, in order. */
    protected fun named(): Map<String, RetryPolicy> = when {
        policies.isEmpty() -> standard.mapValues { PolicyArgument.read(it.value) }
        else -> policies.associate(PolicyArgument::labelled)
    }

    /** Runs [experiment]; a scenario that makes no sense is a message and not a stack trace. */
    protected fun <T> checked(experiment: () -> T): T = try {
        experiment()
    } catch (failure: IllegalArgumentException) {
        throw UsageError(failure.message.orEmpty())
    }

    protected fun decimal(value: Double, digits: Int = 1): String = "%,.${digits}f".format(Locale.ROOT, value)
}
