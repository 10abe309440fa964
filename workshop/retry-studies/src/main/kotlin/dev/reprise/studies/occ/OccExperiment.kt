package dev.reprise.studies.occ

import dev.reprise.lab.experiment.Experiment
import dev.reprise.lab.experiment.Section
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.plot.Line
import dev.reprise.lab.plot.LinePlot
import dev.reprise.lab.text.contrast
import dev.reprise.lab.text.decimal
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put

/** The experiment of the AWS architecture blog, for several numbers of clients; a figure is the mean of several runs. */
internal class OccExperiment(private val file: Contention) : Experiment<List<Occ.Summary>>(file.name, file.policies) {
    private val clients = file.clients
    private val runs = file.runs

    override fun measure(label: String, contestant: Contestant, seed: Long) =
        clients.map { Occ(contestant.policy, it, file.hop).runs(runs, seed) }

    override fun compare(results: Map<String, List<Occ.Summary>>): Section {
        val most = clients.max()
        return Section(
            title = file.title,
            words =
            "The experiment of the AWS architecture blog: every client wants to write the same row once, and tries " +
                "until it wins. Only a policy's backoff counts here. Means of $runs runs.",
            reading = reading(results.mapValues { it.value.of(most) }, most),
            plots = listOf(
                plot(results, "$name-writes", "Writes that the server sees", "writes") { it.calls.mean },
                plot(results, "$name-time", "Time until the last client is done", "ms") { it.millis.mean },
            ),
            heading = listOf("policy") + clients.map { "writes, $it clients" } + "ms, $most clients",
            rows = results.map { (name, all) ->
                listOf(name) + all.map { decimal(it.calls.mean) } + decimal(all.of(most).millis.mean, 0)
            },
            headline = listOf("writes, $most clients", "ms, $most clients"),
        )
    }

    private fun reading(last: Map<String, Occ.Summary>, clients: Int): String {
        val writes = last.mapValues { it.value.calls.mean }
        val millis = last.mapValues { it.value.millis.mean }
        return contrast(writes, "makes", "writes for $clients clients", digits = 0) + " " +
            contrast(millis, "takes", "ms until the last one is done", digits = 0)
    }

    private fun List<Occ.Summary>.of(clients: Int) = first { it.clients == clients }

    private fun plot(
        results: Map<String, List<Occ.Summary>>,
        file: String,
        title: String,
        unit: String,
        figure: (Occ.Summary) -> Double,
    ) = LinePlot(
        name = file,
        title = title,
        x = "clients",
        y = unit,
        lines = results.map { (name, all) -> Line(name, all.map { it.clients.toDouble() to figure(it) }) },
    )

    override fun JsonObjectBuilder.write(result: List<Occ.Summary>) {
        putObjects("clients", result) { summary ->
            put("clients", summary.clients)
            put("runs", runs)
            put("meanCalls", summary.calls.mean)
            put("sdCalls", summary.calls.deviation)
            put("meanMs", summary.millis.mean)
            put("sdMs", summary.millis.deviation)
        }
    }
}
