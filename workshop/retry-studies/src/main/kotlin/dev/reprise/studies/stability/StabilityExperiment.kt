package dev.reprise.studies.stability

import dev.reprise.core.shell.values.isTimed
import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.input.Document
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.scenario.Changes
import dev.reprise.lab.scenario.ScenarioFile
import dev.reprise.lab.scenario.ScenarioFileReader
import dev.reprise.lab.text.percent
import dev.reprise.lab.text.plain
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.put
import java.nio.file.Path

/** From which load a fleet does not come back after an outage: by policy, client size, timeout and the outage's length. */
internal class StabilityExperiment(
    /** The scenario, apart from its border. */
    private val document: JsonObject,
    plan: Plan,
    private val file: ScenarioFile = READER.read(document),
) : Experiment<List<StabilityExperiment.Found>>(file.scenario.name, file.policies) {
    private val outages = plan.away
    private val timeouts = plan.timeouts
    private val patience = plan.patience

    /** A fleet: each client's calls a second, how long the server is away, and how long an attempt may take. */
    class Condition(val calls: Double, val outage: Double, val timeout: Double)

    /** A border, or `null` for a fleet that always comes back; [computed] where there is a closed form. */
    class Found(val condition: Condition, val border: Double?, val computed: Double?)

    private val conditions =
        timeouts.flatMap { timeout -> plan.calls.flatMap { size -> outages.map { Condition(size, it, timeout) } } }

    /** The border of [contestant] under each condition. */
    public override fun measure(label: String, contestant: Contestant, seed: Long) = conditions.map {
        val found = border(contestant, seed) { load -> scenario(it, load) }
        Found(it, found, computed(contestant, it))
    }

    private fun scenario(condition: Condition, load: Double): Scenario {
        val offered = file.scenario.offered
        val capacity = offered / load
        val end = FROM + condition.outage
        val changes = Changes()
        changes["fleet[0].clients"] = (offered / condition.calls).toInt().coerceAtLeast(1)
        changes["fleet[0].calls"] = condition.calls
        changes["server.queue.capacity"] = capacity
        changes["server.queue.length"] = (capacity * QUEUE_SECONDS).toInt()
        changes["server.failures[0].to"] = Changes.seconds(end)
        changes["attemptTimeout"] = Changes.seconds(condition.timeout)
        changes["seconds"] = Changes.seconds(end + patience)
        return READER.read(changes.applyTo(document)).scenario
    }

    private fun computed(contestant: Contestant, condition: Condition): Double? {
        val policy = contestant.policy
        val isFree = policy.quota == null && contestant.budget == null && !policy.isTimed && policy.sendRate == null
        if (!isFree || policy.maxAttempts == 1 || policy.maxAttempts > MOST_ATTEMPTS) return null
        return freeRetriesBorder(policy.maxAttempts, condition.timeout, condition.outage)
    }

    override fun compare(results: Map<String, List<Found>>) = Section(
        title = file.scenario.title,
        words = "A server loses all requests for a while, and then works on what comes, in a queue of " +
            "${plain(QUEUE_SECONDS)} s. Up to which load is the fleet served as before within ${plain(patience)} s? " +
            "The load is the calls that are offered, as a part of the requests that the server can work on.",
        reading = reading(results),
        plots = timeouts.map { plot(results, it) },
        heading = listOf("policy") + outages.map { "away ${plain(it)} s" },
        rows = results.flatMap { (label, found) -> rows(label, found) },
        headline = emptyList(),
    )

    private fun reading(results: Map<String, List<Found>>): String {
        val lost = results.mapValues { (_, found) -> found.mapNotNull { it.border }.minOrNull() }
        val safe = lost.filterValues { it == null }.keys
        val worst = lost.filterValues { it != null }.minByOrNull { it.value!! }
        val back = safe.joinToString { "“$it”" }.ifEmpty { "No policy" } +
            if (safe.isEmpty()) " comes back from everything." else " always comes back."
        return back + worst?.let { " “${it.key}” is lost from a load of ${percent(it.value!!)} on." }.orEmpty()
    }

    private fun rows(label: String, found: List<Found>) =
        found.groupBy { it.condition.timeout to it.condition.calls }.flatMap { (fleet, all) ->
            val (timeout, calls) = fleet
            val of = "$label, ${plain(calls)}/s" + if (timeouts.size > 1) ", ${plain(timeout)} s" else ""
            val computed = all.mapNotNull { it.computed }.map(::percent)
            listOfNotNull(
                listOf(of) + all.map { it.border?.let(::percent) ?: "returns" },
                if (computed.isEmpty()) null else listOf("  computed") + computed,
            )
        }

    private fun plot(results: Map<String, List<Found>>, timeout: Double) = LinePlot(
        name = if (timeouts.size == 1) name else "$name-${plain(timeout)}s",
        title = "Above its line, a fleet does not come back (attempts of ${plain(timeout)} s)",
        x = "seconds that the server is away",
        y = "load, % of what the server can do",
        lines = results.flatMap { (label, all) -> lines(label, all.filter { it.condition.timeout == timeout }) },
    )

    /** A line for each size of client, or one for all where they differ by no more than a step. */
    private fun lines(label: String, found: List<Found>): List<Line> {
        val bySize = found.groupBy { it.condition.calls }
        val isSame = outages.all { outage ->
            val borders = found.filter { it.condition.outage == outage }.map { it.border ?: 1.0 }
            borders.max() - borders.min() <= STEP * SAME_STEPS
        }
        if (isSame) return listOf(line(label, bySize.values.first()))
        return bySize.map { (calls, of) -> line("$label, ${plain(calls)}/s", of) }
    }

    private fun line(name: String, found: List<Found>) =
        Line(name, found.map { it.condition.outage to 100 * (it.border ?: 1.0) })

    override fun JsonObjectBuilder.write(result: List<Found>) {
        putObjects("borders", result) { found ->
            put("callsPerClient", found.condition.calls)
            put("outageSeconds", found.condition.outage)
            put("attemptTimeoutSeconds", found.condition.timeout)
            put("load", JsonPrimitive(found.border))
            put("computed", JsonPrimitive(found.computed))
        }
    }

    internal companion object {
        private val READER = ScenarioFileReader(Path.of(""))

        /** The experiment that [document] describes with its member `border`. */
        fun of(document: JsonObject): StabilityExperiment = StabilityExperiment(
            JsonObject(document - "border"),
            Plan.read(Document("$.border", document.getValue("border"))),
        )

        const val FROM = 20.0
        const val QUEUE_SECONDS = 10.0
        private const val MOST_ATTEMPTS = 1_000

        /** A little more than one, since a step is no exact number. */
        private const val SAME_STEPS = 1.01
    }
}
