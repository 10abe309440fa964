package dev.reprise.lab.report

import dev.reprise.lab.experiment.Grade
import dev.reprise.lab.experiment.Section

/** All graded [sections] of a report in one sentence and one table. */
internal class Summary(sections: List<Section>) {
    /** The sections that have grades; the first of them has the picture to begin with. */
    val graded: List<Section> = sections.filter { it.grades.isNotEmpty() }

    val policies: List<String> = graded.flatMap { it.grades.keys }.distinct()

    /** The policies that do well everywhere, those that do badly, and where; `null` without grades. */
    val verdict: String? = if (graded.isEmpty()) null else "${well()} ${badly()}".trim()

    /** A policy that was not tried everywhere is told with how often it was. */
    private fun well(): String {
        val names = policies.filter { policy -> tried(policy).all { it == Grade.GOOD } }.map { policy ->
            val count = tried(policy).size
            "“$policy”" + if (count == graded.size) "" else " (tried in $count of ${graded.size})"
        }
        return when (names.size) {
            0 -> "No policy does well everywhere."
            1 -> "${names.single()} does well everywhere."
            else -> "${names.joinToString()} do well everywhere."
        }
    }

    private fun tried(policy: String) = graded.mapNotNull { it.grades[policy] }

    private fun badly(): String = policies.mapNotNull { policy ->
        val where = graded.filter { it.grades[policy] == Grade.BAD }
        if (where.isEmpty()) null else "“$policy” does badly in: ${where.joinToString { inSentence(it.title) }}."
    }.joinToString(" ")

    private fun inSentence(title: String) = title.replaceFirstChar { it.lowercase() }
}
