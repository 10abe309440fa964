package dev.reprise.lab.report

import com.github.ajalt.clikt.core.Context
import com.github.ajalt.clikt.parameters.arguments.argument
import com.github.ajalt.clikt.parameters.arguments.multiple
import dev.reprise.core.RetryPolicy
import dev.reprise.lab.arguments.PolicyArgument

/** `retry-lab compare`: the same page over policies of one's own. */
class CompareCommand : PageCommand("compare") {
    private val arguments by argument(
        name = "policy",
        help = "a preset, a policy document or a file with one; LABEL=POLICY names it",
    ).multiple(required = true)

    override fun help(context: Context) =
        "Run all experiments over several policies: one page, one table and plot for each."

    override fun policies(): Map<String, RetryPolicy> = arguments.associate(PolicyArgument::labelled)
}
