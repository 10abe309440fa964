package dev.reprise.lab.report

import dev.reprise.lab.input.BadInput
import dev.reprise.lab.text.jsonNumber
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import java.util.Locale

/** The figures that differ between two runs. */
internal class RunComparison(before: RunFile, after: RunFile) {
    private class Change(val name: RunFigure.Name, val before: RunFigure?, val after: RunFigure?)

    private val changes = (before.figures.keys + after.figures.keys)
        .map { Change(it, before.figures[it], after.figures[it]) }
        // NaN stands for none, and equals itself here.
        .filterNot { it.before != null && it.before.median.equals(it.after?.median) }

    init {
        listOf(before, after).find { it.figures.isEmpty() }?.let {
            throw BadInput("nothing to compare: no figures in ${it.name}")
        }
    }

    val isEmpty: Boolean get() = changes.isEmpty()

    /** A row for each figure: its name, before, after, and the difference. */
    fun rows(): List<List<String>> = changes.map { change ->
        fun text(figure: RunFigure?) = figure?.let { change.name.text(it.median) } ?: "-"
        listOf("${change.name}", text(change.before), text(change.after), difference(change.before, change.after))
    }

    fun json() = JsonArray(
        changes.map { change ->
            buildJsonObject {
                put("experiment", change.name.experiment)
                put("policy", change.name.policy)
                put("figure", change.name.figure)
                put("before", jsonNumber(change.before?.median ?: Double.NaN))
                put("after", jsonNumber(change.after?.median ?: Double.NaN))
            }
        },
    )

    private fun difference(was: RunFigure?, now: RunFigure?): String {
        if (was == null || now == null) return "-"
        val share = now.median / was.median - 1
        if (!share.isFinite()) return "-"
        return "%+.1f %%".format(Locale.ROOT, share * 100) + if (was.overlaps(now)) ", within the spread" else ""
    }

    companion object {
        val HEADING: List<String> = listOf("figure", "before", "after", "change")
    }
}
