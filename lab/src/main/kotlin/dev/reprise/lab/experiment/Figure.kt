package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.text.percent
import java.util.Locale

/** A number that a simulation gives, under the name that tables, files and assertions use. */
internal class Figure private constructor(
    val name: String,
    val heading: String,
    val meaning: String,
    private val unit: Unit,
    private val digits: Int,
    private val value: (Result) -> Number,
) {
    private enum class Unit(val word: String) { NONE(""), SHARE("%"), SECONDS("s"), MILLIS("ms") }

    /** Whether it is a part of one, which is shown as percent. */
    val isShare: Boolean get() = unit == Unit.SHARE

    /** Its value in one run; infinite for never, NaN where there is none. */
    fun of(result: Result): Double = value(result).toDouble()

    /** The medians of [results], by label of the policy. */
    fun medians(results: Map<String, List<Result>>): Map<String, Double> = results.mapValues { median(it.value) }

    /** The middle of [results]: of an even number the higher one. */
    fun median(results: List<Result>): Double = results.map(::of).sorted()[results.size / 2]

    fun text(value: Double): String = when {
        value.isNaN() -> "-"
        value == Double.POSITIVE_INFINITY -> "never"
        isShare -> percent(value)
        else -> "%.${digits}f".format(Locale.ROOT, value)
    }

    /** [results] as a table shows them: the median, and below it the smallest and the largest if there are several. */
    fun text(results: List<Result>): String {
        val all = results.map(::of).sorted()
        val (least, most) = text(all.first()) to text(all.last())
        return text(median(results)) + if (least == most) "" else "\n$least…$most"
    }

    /** The number that [text] stands for in this figure's own unit: `5s`, `300ms`, `2%`, `never` or `1.2`; `null` if none. */
    fun parse(text: String): Double? {
        if (text == "never") return Double.POSITIVE_INFINITY
        val (number, given) = NUMBER.matchEntire(text)?.destructured ?: return null
        val value = number.toDouble()
        return when (given) {
            "" -> value
            "%" -> if (isShare) value / 100 else null
            else -> MILLIS[unit.word]?.let { value * MILLIS.getValue(given) / it }
        }
    }

    companion object {
        private val MILLIS = mapOf("s" to 1e3, "ms" to 1.0)
        private val NUMBER = Regex("(-?[0-9]+(?:\\.[0-9]+)?) *(%|s|ms|)")

        val all: Map<String, Figure> = listOf(
            number("calls", "calls", "calls that began") { it.calls },
            number("ok", "ok", "calls that ended well") { it.succeeded },
            number("failed", "failed", "calls that ended otherwise") { it.failed },
            number("unfinished", "unfinished", "calls in flight at the end") { it.unfinished },
            number("lost", "lost calls", "calls that did not end well") { it.lost },
            share("success", "calls ok", "the part of the calls that ended well") { it.success },
            number("amplification", "attempts per call", "attempts for each call while the server fails", 2) {
                it.amplification
            },
            share("loss", "calls lost", "the part of the same calls that did not end well") { it.loss },
            number("most-of-call", "most for a call", "the most attempts at the server for one call") { it.mostOfCall },
            number("peak", "peak /s", "the most attempts of any second") { it.peak },
            number("goodput", "goodput /s", "calls that end well, a second", 1) { it.goodput },
            number("admitted", "admitted /s", "attempts that the server lets in, a second", 1) { it.admitted },
            share("throttled", "throttled", "the part of the attempts that is refused") { it.throttled },
            number("fairness", "worst/mean client", "calls served of the worst client against the mean", 2) {
                it.fairness
            },
            share("worst-client", "worst client", "the smallest part that a client got served") { it.worstClient },
            millis("mean", "mean ms", "how long good calls take, on average") { it.meanLatency },
            millis("p50", "p50 ms", "half of the good calls take at most so long") { it.latency(50.0) },
            millis("p90", "p90 ms", "nine of ten good calls take at most so long") { it.latency(90.0) },
            millis("p99", "p99 ms", "99 of 100 good calls take at most so long") { it.latency(99.0) },
            millis("p999", "p99.9 ms", "999 of 1,000 good calls take at most so long") { it.latency(99.9) },
            millis("max", "max ms", "the longest good call") { it.latency(100.0) },
            share("healthy-lost", "healthy lost", "calls lost on all operations but the first") {
                it.lostOn.drop(1).average()
            },
            Figure(
                "recovery",
                "recovery s",
                "seconds until the fleet is served as before, for good",
                Unit.SECONDS,
                digits = 0,
            ) { it.recovery ?: Double.POSITIVE_INFINITY },
        ).associateBy { it.name }

        fun named(name: String): Figure =
            requireNotNull(all[name]) { "figure must be one of ${all.keys.joinToString()}: $name" }

        private fun number(
            name: String,
            heading: String,
            meaning: String,
            digits: Int = 0,
            value: (Result) -> Number,
        ) = Figure(name, heading, meaning, Unit.NONE, digits, value)

        private fun share(name: String, heading: String, meaning: String, value: (Result) -> Double) =
            Figure(name, heading, meaning, Unit.SHARE, digits = 0, value)

        private fun millis(name: String, heading: String, meaning: String, value: (Result) -> Double) =
            Figure(name, heading, meaning, Unit.MILLIS, digits = 0, value)
    }
}
