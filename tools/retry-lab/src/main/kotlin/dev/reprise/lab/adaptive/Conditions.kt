package dev.reprise.lab.adaptive

import kotlin.math.PI
import kotlin.math.exp
import kotlin.math.max
import kotlin.math.sin

/** The conditions under which a limiter has to prove itself. */
internal object Conditions {
    /** A server that never changes, one client. */
    val steady: List<Condition> =
        listOf(
            1 to 1,
            1 to 10,
            10 to 1,
            10 to 10,
            10 to 200,
            100 to 10,
            100 to 200,
            1000 to 200,
        ).map { (rate, callers) ->
            Condition("$rate/s, $callers callers", callers) { rate.toDouble() }
        }

    /** Ten clients that know nothing of each other. */
    val shared: List<Condition> =
        listOf(10, 100, 1000).map { rate ->
            Condition("$rate/s, ten clients of 10 callers", callers = 100, clients = 10) { rate.toDouble() }
        }

    /** Fast, slow and unpredictable answers. */
    val latencies: List<Condition> =
        listOf(10, 100, 1000).flatMap { rate ->
            listOf(
                Condition("$rate/s, answers after 2 ms", callers = 20, latency = Latency.around(0.002)) {
                    rate.toDouble()
                },
                Condition("$rate/s, answers after 1 s", callers = max(20, rate * 4), latency = Latency.around(1.0)) {
                    rate.toDouble()
                },
                Condition("$rate/s, heavy-tailed answers", callers = max(20, rate), latency = Latency.HEAVY_TAILED) {
                    rate.toDouble()
                },
            )
        }

    /** Callers that together ask for less than the server admits. */
    val below: List<Condition> =
        listOf(
            Condition("100/s, one caller", callers = 1) { 100.0 },
            Condition("100/s, 50 callers ask for 50/s", callers = 50, think = 0.98) { 100.0 },
            Condition("1000/s, 500 callers ask for 800/s", callers = 500, think = 0.605) { 1000.0 },
        )

    /** A server whose rate swings by a factor of seven in a minute, with a quicker tremble on top. */
    val wandering: List<Condition> =
        listOf(10, 100, 1000).map { rate ->
            Condition("wanders around $rate/s, 200 callers", callers = 200) {
                rate * exp(0.7 * sin(it * 2 * PI / 60) + 0.3 * sin(it * 2 * PI / 17))
            }
        }

    /** A server whose rate changes once; each seed changes it at another moment of the limiter's cycle. */
    fun steps(seed: Long): List<Condition> =
        listOf(100 to 50, 100 to 200, 1 to 10, 10 to 1, 10 to 100).map { (before, after) -> step(before, after, seed) }

    /** A server that goes from one rate to another. */
    fun step(before: Int, after: Int, seed: Long, callers: Int = 10): Condition {
        val at = 200 + seed * 3.7
        return Condition("from $before/s to $after/s, $callers callers", callers, seconds = at + 120, stepAt = at) {
            if (it < at) before.toDouble() else after.toDouble()
        }
    }
}
