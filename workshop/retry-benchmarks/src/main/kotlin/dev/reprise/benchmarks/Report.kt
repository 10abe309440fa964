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

    /** Where it was measured, and a table for each face, row and number of threads. */
    fun text(): String {
        val scores = Json.parseToJsonElement(File(folder, "$name.json").readText()).jsonArray.map(::score)
        val tables =
            scores
                .groupBy { Triple(it.face, it.row, it.threads) }
                .map { (key, group) -> table(title(key.first, key.second, key.third), group) }
        val machine = File(folder, "$name-machine.txt").readLines().joinToString("\n") { "- $it" }
        return (listOf(machine) + tables + listOfNotNull(scale())).joinToString("\n\n") + "\n"
    }

    /** Puts [text] between the two marks of [page]. */
    fun writeInto(page: File) {
        val old = page.readText()
        require(BEGIN in old && END in old) { "$page must have the lines $BEGIN and $END" }
        page.writeText(old.substringBefore(BEGIN) + BEGIN + "\n\n" + text() + "\n" + END + old.substringAfter(END))
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

    private fun title(face: String, row: Row, threads: Int) =
        "$face: ${row.text}" + if (threads > 1) ", $threads threads on one retrier" else ""

    private fun table(title: String, scores: List<Score>): String {
        val floor = scores.firstOrNull { it.isFloor }
        val best = scores.filter { !it.isOurs && !it.isFloor }.minByOrNull { it.nanos }
        val lines =
            scores.sortedBy { it.nanos }.map {
                listOf(
                    if (it.isOurs) "**${it.contestant}**" else it.contestant,
                    nanos(it.nanos),
                    nanos(it.fastest),
                    decimal(it.bytes, 0),
                    ratio(it, floor),
                    ratio(it, best),
                ).joinToString(" | ", "| ", " |")
            }
        return "### $title\n\n" +
            "| | ns a call, median | fastest | B a call | x floor | x best peer |\n|---|---:|---:|---:|---:|---:|\n" +
            lines.joinToString("\n")
    }

    private fun ratio(score: Score, to: Score?) = if (to == null) "" else decimal(score.nanos / to.nanos, 2)

    private fun nanos(value: Double) = decimal(value, if (value < 100) 1 else 0)

    private fun decimal(value: Double, digits: Int) = "%.${digits}f".format(Locale.ROOT, value)

    private fun scale(): String? {
        val lines = File(folder, "scale.txt").takeIf { name == "all" && it.exists() }?.readLines() ?: return null
        return "### $IN_FLIGHT calls in flight that fail twice, 50 ms apart\n\n" +
            "| | wall time | threads at most | B of heap a call |\n|---|---:|---:|---:|\n" +
            lines.map { it.split(' ') }.filter { it.size == SCALE_COLUMNS }.joinToString("\n") {
                "| ${it[0]}, ${it[1]} | ${it[2]} ms | ${it[3]} | ${it[4]} |"
            }
    }

    private companion object {
        const val BEGIN = "<!-- results: begin -->"
        const val END = "<!-- results: end -->"
        const val SCALE_COLUMNS = 5
    }
}
