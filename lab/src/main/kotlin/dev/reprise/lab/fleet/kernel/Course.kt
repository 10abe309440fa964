package dev.reprise.lab.fleet.kernel

/** A number that changes at set moments and stays the same in between. Times in ns; asked for in the order of time. */
internal class Course(private val steps: List<Pair<Long, Double>>) {
    init {
        require(steps.isNotEmpty() && steps.first().first == 0L) { "a course must begin at 0: $steps" }
        require(steps.zipWithNext().all { (a, b) -> a.first < b.first }) { "a course must go forward in time: $steps" }
    }

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

/** Nanoseconds of a second. */
internal const val NANOS = 1e9

/** [seconds] as whole ns. */
internal fun nanosOf(seconds: Double): Long = Math.round(seconds * NANOS)
