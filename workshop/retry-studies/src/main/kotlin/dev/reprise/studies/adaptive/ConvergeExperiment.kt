package dev.reprise.studies.adaptive

import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put

/** Whether a limiter finds the rate of a throttling server, and stays there; with the real executor, in virtual time. */
internal class ConvergeExperiment(private val file: ConvergeFile) :
    Experiment<ConvergeExperiment.Found>(file.name, file.policies) {
    /** The results of one policy: the figures of each condition, and a run of each condition that is drawn. */
    class Found(val figures: List<Figures>, val drawn: Map<String, Convergence>)

    private val conditions = file.conditions

    private fun runs(plan: ConditionPlan) = if (plan.isChange) maxOf(file.seeds, CHANGE_SEEDS) else file.seeds

    override fun measure(label: String, contestant: Contestant, seed: Long): Found {
        require(contestant.budget == null) { "policy $label must be a policy, not a peer's budget" }
        val drawn = LinkedHashMap<String, Convergence>()
        val figures = conditions.map { plan ->
            val all = (seed until seed + runs(plan)).map {
                Convergence.of(plan.of(it), contestant.policy, it)
            }
            if (file.pictures.any { it.condition == plan.name }) drawn[plan.name] = all.first()
            if (plan.isChange) Figures.Change(plan.name, all) else Figures.Steady(plan.name, all)
        }
        return Found(figures, drawn)
    }

    override fun compare(results: Map<String, Found>) = Section(
        title = file.title,
        words = "Callers that always have work, and a server that throttles all beyond its rate, in bursts of up to " +
            "a tenth of a second. Served is what ends well, of what can be.",
        reading = contrast(
            results.mapValues { 100 * served(it.value) },
            "is served",
            "% of what can be, in its worst condition",
        ),
        plots = file.pictures.mapNotNull { picture ->
            val runs = results.mapNotNull { (label, found) -> found.drawn[picture.condition]?.let { label to it } }
            if (runs.isEmpty()) null else picture.plot(runs.toMap())
        },
        heading = Figures.HEADING,
        rows = conditions.indices.flatMap { i ->
            listOf(listOf(conditions[i].name) + List(Figures.HEADING.size - 1) { "" }) +
                results.map { (label, found) -> listOf("  $label") + found.figures[i].cells }
        },
        headline = emptyList(),
    )

    private fun served(found: Found) =
        found.figures.filterIsInstance<Figures.Steady>().minOfOrNull { it.success } ?: 0.0

    override fun JsonObjectBuilder.write(result: Found) {
        putObjects("conditions", result.figures) { figures ->
            put("condition", figures.condition)
            figures.write(this)
        }
    }

    private companion object {
        /** A change is tried at this many moments of the limiter's cycle at least. */
        const val CHANGE_SEEDS = 9
    }
}
