package dev.reprise.lab.report

import dev.reprise.lab.experiment.Grade
import dev.reprise.lab.experiment.Section

/** All graded [sections] of a report in one sentence and one table. */
internal class Summary(sections: List<Section>) {
    /** The sections that have grades; the first of them has the picture to begin with. */
    val graded: List<Section> = sections.filter { it.grades.isNotEmpty() }

    /** The policies, in the order of the table. */
    val policies: List<String> = graded.flatMap { it.grades.keys }.distinct()

    /** Who does well everywhere, and who does badly, and where; `null` without grades. */
    val verdict: String? = if (graded.isEmpty()) null else "${well()} ${badly()}".trim()

    /** The grade of [policy] in [section]; `null` if it was not tried there. */
    fun grade(policy: String, section: Section): Grade? = section.grades[policy]

    private fun well(): String {
        val names = policies.filter { policy -> graded.all { (grade(policy, it) ?: Grade.GOOD) == Grade.GOOD } }
        return if (names.isEmpty()) {
            "No policy does well everywhere."
        } else {
            "${verb(
                names,
                "does",
                "do",
            )} well everywhere."
        }
    }

    private fun badly(): String = policies.mapNotNull { policy ->
        val where = graded.filter { grade(policy, it) == Grade.BAD }
        if (where.isEmpty()) null else "“$policy” does badly in: ${where.joinToString { it.title.asWords() }}."
    }.joinToString(" ")

    private fun verb(names: List<String>, one: String, many: String) =
        names.joinToString { "“$it”" } + " " + if (names.size == 1) one else many

    private fun String.asWords() = replaceFirstChar { it.lowercase() }
}
