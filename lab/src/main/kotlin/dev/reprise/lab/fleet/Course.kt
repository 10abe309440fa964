package dev.reprise.lab.fleet

import dev.reprise.lab.text.plain

/** A number by the moment from which on it holds, in s; the first from 0 on. */
internal typealias Steps = List<Pair<Double, Double>>

internal fun Steps.words() = joinToString(", ") { (at, value) ->
    if (at == 0.0) plain(value) else "from second ${plain(at)} on ${plain(value)}"
}

/** The value of [steps] over time. Times in ns; to be asked in the order of time. */
internal class Course(steps: Steps) {
    private val steps = steps.map { (at, value) -> nanosOf(at) to value }
    private var current = 0

    /** The number at [at], which is no earlier than any that was asked for before. */
    fun at(at: Long): Double {
        while (current + 1 < steps.size && steps[current + 1].first <= at) current++
        return steps[current].second
    }

    /** The sum of number times seconds between two moments, neither earlier than any that was asked for before. */
    fun sum(from: Long, to: Long): Double {
        var sum = 0.0
        var start = from
        while (start < to) {
            val value = at(start)
            val end = if (current + 1 < steps.size) minOf(to, steps[current + 1].first) else to
            sum += value * (end - start) / NANOS
            start = end
        }
        return sum
    }
}

internal const val NANOS = 1e9

/** [seconds] as whole ns. */
internal fun nanosOf(seconds: Double): Long = Math.round(seconds * NANOS)
