package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import java.util.Locale

/** A number that a simulation gives, under the name that tables, files and assertions use. */
internal class Figure(
    val name: String,
    /** The column's heading. */
    val heading: String,
    /** The meaning of the number, for help. */
    val meaning: String,
    private val unit: Unit,
    private val digits: Int = 0,
    private val value: (Result) -> Double,
) {
    enum class Unit(val word: String) { NONE(""), SHARE("%"), SECONDS("s"), MILLIS("ms") }

    /** Whether it is a part of one, which is shown as percent. */
    val isShare: Boolean get() = unit == Unit.SHARE

    /** Its value in one run; infinite for never, NaN where there is none. */
    fun of(result: Result): Double = value(result)

    /** The medians of [results], by label of the policy. */
    fun medians(results: Map<String, List<Result>>): Map<String, Double> = results.mapValues { median(it.value) }

    /** The middle of [results]: of an even number the higher one. */
    fun median(results: List<Result>): Double = results.map(::of).sorted()[results.size / 2]

    /** [value] as a table shows it. */
    fun text(value: Double): String = when {
        value.isNaN() -> "-"
        value == Double.POSITIVE_INFINITY -> "never"
        unit == Unit.SHARE -> "%.1f %%".format(Locale.ROOT, value * HUNDRED)
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
            "%" -> if (unit == Unit.SHARE) value / HUNDRED else null
            else -> MILLIS[unit.word]?.let { value * MILLIS.getValue(given) / it }
        }
    }

    companion object {
        private const val HUNDRED = 100.0
        private val MILLIS = mapOf("s" to 1e3, "ms" to 1.0)
        private val NUMBER = Regex("(-?[0-9]+(?:\\.[0-9]+)?) *(%|s|ms|)")

        /** All figures, by name. */
        val all: Map<String, Figure> = listOf(
            Figure("calls", "calls", "calls that began", Unit.NONE) { it.calls.toDouble() },
            Figure("ok", "ok", "calls that ended well", Unit.NONE) { it.succeeded.toDouble() },
            Figure("failed", "failed", "calls that ended otherwise", Unit.NONE) { it.failed.toDouble() },
            Figure("unfinished", "unfinished", "calls in flight at the end", Unit.NONE) { it.unfinished.toDouble() },
            Figure("lost", "lost calls", "calls that did not end well", Unit.NONE) { it.lost.toDouble() },
            Figure("success", "calls ok", "the part of the calls that ended well", Unit.SHARE) { it.success },
            Figure(
                "amplification",
                "attempts per call",
                "attempts for each call while the server fails",
                Unit.NONE,
                2,
            ) {
                it.amplification
            },
            Figure("loss", "calls lost", "the part of the same calls that did not end well", Unit.SHARE) { it.loss },
            Figure("most-of-call", "most for a call", "the most attempts at the server for one call", Unit.NONE) {
                it.mostOfCall.toDouble()
            },
            Figure("peak", "peak /s", "the most attempts of any second", Unit.NONE) { it.peak.toDouble() },
            Figure("goodput", "goodput /s", "calls that end well, a second", Unit.NONE, 1) { it.goodput },
            Figure("admitted", "admitted /s", "attempts that the server lets in, a second", Unit.NONE, 1) {
                it.admitted
            },
            Figure("throttled", "throttled", "the part of the attempts that is refused", Unit.SHARE) { it.throttled },
            Figure("fairness", "worst/mean client", "calls served of the worst client against the mean", Unit.NONE, 2) {
                it.fairness
            },
            Figure("worst-client", "worst client", "the smallest part that a client got served", Unit.SHARE) {
                it.worstClient
            },
            Figure("mean", "mean ms", "how long good calls take, on average", Unit.MILLIS) { it.meanLatency },
            Figure("p50", "p50 ms", "half of the good calls take at most so long", Unit.MILLIS) { it.latency(50.0) },
            Figure("p90", "p90 ms", "nine of ten good calls take at most so long", Unit.MILLIS) { it.latency(90.0) },
            Figure("p99", "p99 ms", "99 of 100 good calls take at most so long", Unit.MILLIS) { it.latency(99.0) },
            Figure("p999", "p99.9 ms", "999 of 1,000 good calls take at most so long", Unit.MILLIS) {
                it.latency(99.9)
            },
            Figure("max", "max ms", "the longest good call", Unit.MILLIS) { it.latency(100.0) },
            Figure("healthy-lost", "healthy lost", "calls lost on all operations but the first", Unit.SHARE, 2) {
                it.lostOn.drop(1).average()
            },
            Figure("recovery", "recovery s", "seconds until the fleet is served as before, for good", Unit.SECONDS) {
                it.recovery ?: Double.POSITIVE_INFINITY
            },
        ).associateBy { it.name }

        /** The figure called [name]. */
        fun named(name: String): Figure =
            requireNotNull(all[name]) { "figure must be one of ${all.keys.joinToString()}: $name" }
    }
}
