package dev.reprise.lab.report

import dev.reprise.lab.experiment.Grade
import dev.reprise.lab.experiment.Section

/** All graded [sections] of a report in one sentence and one table. */
internal class Summary(sections: List<Section>) {
    /** The sections that have grades; the first of them has the picture to begin with. */
    val graded: List<Section> = sections.filter { it.grades.isNotEmpty() }

    /** The policies, in the order of the table. */
    val policies: List<String> = graded.flatMap { it.grades.keys }.distinct()

    /** The policies that do well everywhere, those that do badly, and where; `null` without grades. */
    val verdict: String? = if (graded.isEmpty()) null else "${well()} ${badly()}".trim()

    /** The grade of [policy] in [section]; `null` if it was not tried there. */
    fun grade(policy: String, section: Section): Grade? = section.grades[policy]

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

    private fun tried(policy: String) = graded.mapNotNull { grade(policy, it) }

    private fun badly(): String = policies.mapNotNull { policy ->
        val where = graded.filter { grade(policy, it) == Grade.BAD }
        if (where.isEmpty()) null else "“$policy” does badly in: ${where.joinToString { it.title.asWords() }}."
    }.joinToString(" ")

    private fun String.asWords() = replaceFirstChar { it.lowercase() }
}
