package dev.reprise.lab.report

import dev.reprise.core.RetryPolicy
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.scenario.Contestants

/** What a report is about, in its first sentences: what was tried in which [sections], and which of it is the default. */
internal fun summary(sections: List<Section>, policies: Map<String, String>): String? {
    if (sections.isEmpty()) return null
    val tried = if (policies.size == 1) "One policy was" else "${policies.size} policies were"
    val experiments = sections.joinToString("; ") { it.title.replaceFirstChar(Char::lowercase) }
    val defaults = policies.filterValues { Contestants.read(it).policy == RetryPolicy.STANDARD }.keys
    val default = if (defaults.isEmpty()) {
        "The library's default, standard-2.1, is not among them."
    } else {
        "The library's default is ${defaults.joinToString { "“$it”" }}."
    }
    return "$tried tried in ${sections.size} experiments: $experiments. $default"
        .replace("in 1 experiments", "in one experiment")
}
