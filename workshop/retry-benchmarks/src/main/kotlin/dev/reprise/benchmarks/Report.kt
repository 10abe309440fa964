package dev.reprise.benchmarks

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.io.File
import java.util.Locale

/** Turns the JSON that JMH wrote into [folder] as `name.json` into tables. */
class Report(private val folder: File, private val name: String) {
    private class Score(
        val face: String,
        val contestant: String,
        val row: Row,
        val threads: Int,
        iterations: List<Double>,
        val bytes: Double,
    ) {
        private val sorted = iterations.sorted()

        val nanos get() = sorted[sorted.size / 2]
        val fastest get() = sorted.first()
        val isOurs get() = contestant.startsWith("reprise")
        val isFloor get() = contestant == "floor"
    }

    private val machine = File(folder, "$name-machine.txt").readLines()
    private val scores = Json.parseToJsonElement(File(folder, "$name.json").readText()).jsonArray.map(::score)
    private val groups = scores.groupBy { Triple(it.face, it.row, it.threads) }.values

    /** Where it was measured, and a line for each face, row, number of threads and contestant. */
    fun text() = (machine + csv(HEADER) + rows().map(::csv) + inFlight().map(::csv)).joinToString("\n")

    /** Writes the tables of a whole run, and where it was measured, to [figures]. */
    fun writeInto(figures: File) {
        fun write(name: String, lines: List<String>) =
            File(figures, "$name.csv").writeText(lines.joinToString("\n", postfix = "\n"))
        write("benchmarks", (listOf(HEADER) + rows()).map(::csv))
        write("benchmarks-in-flight", (listOf(IN_FLIGHT_HEADER) + inFlight()).map(::csv))
        write("benchmarks-machine", (listOf("what,value") + machine.map { csv(it.split(": ", limit = 2)) }))
    }

    private fun score(json: JsonElement): Score {
        val run = json.jsonObject
        val (type, method) = run.getValue("benchmark").jsonPrimitive.content.split('.').takeLast(2)
        val time = run.getValue("primaryMetric").jsonObject
        val bytes = run.getValue("secondaryMetrics").jsonObject.entries.first { it.key.endsWith("alloc.rate.norm") }
        return Score(
            face = type.removeSuffix("Benchmark"),
            contestant = method,
            row = run["params"]?.jsonObject?.get("row")?.let { Row.valueOf(it.jsonPrimitive.content) } ?: Row.SUCCESS,
            threads = run.getValue("threads").jsonPrimitive.int,
            iterations =
            time.getValue("rawData").jsonArray.flatMap { fork -> fork.jsonArray.map { it.jsonPrimitive.double } },
            bytes = bytes.value.jsonObject.getValue("score").jsonPrimitive.double,
        )
    }

    private fun rows() = groups.flatMap { group ->
        val floor = group.firstOrNull { it.isFloor }
        val best = group.filter { !it.isOurs && !it.isFloor }.minByOrNull { it.nanos }
        group.sortedBy { it.nanos }.map {
            val times = listOf(nanos(it.nanos), nanos(it.fastest), decimal(it.bytes, 0))
            listOf(it.face, it.row.text, "${it.threads}", it.contestant) + times + ratio(it, floor) + ratio(it, best)
        }
    }

    private fun ratio(score: Score, to: Score?) = if (to == null) "" else decimal(score.nanos / to.nanos, 2)

    private fun nanos(value: Double) = decimal(value, if (value < 100) 1 else 0)

    private fun decimal(value: Double, digits: Int) = "%.${digits}f".format(Locale.ROOT, value)

    private fun inFlight(): List<List<String>> {
        val lines = File(folder, "scale.txt").takeIf { name == "all" && it.exists() }?.readLines().orEmpty()
        return lines.map { it.split(' ') }.filter { it.size == IN_FLIGHT_HEADER.size }
    }

    private fun csv(cells: List<String>) = cells.joinToString(",") { if (',' in it) "\"$it\"" else it }

    private companion object {
        val HEADER = "face,row,threads,contestant,ns,fastest ns,bytes,x floor,x best peer".split(',')
        val IN_FLIGHT_HEADER = "face,contestant,ms,threads at most,bytes of heap a call".split(',')
    }
}
