package dev.reprise.lab.adaptive

import dev.reprise.virtualtime.Latency
import dev.reprise.virtualtime.RateCondition
import kotlin.math.PI
import kotlin.math.exp
import kotlin.math.sin

/** A condition as a file describes it: from it each seed makes one of its own. Rates a second, times in seconds. */
internal class ConditionPlan(
    val name: String,
    private val rate: Rate,
    private val callers: Int,
    private val clients: Int,
    private val latency: Latency,
    private val think: Double,
    private val seconds: Double,
    private val warmUp: Double,
) {
    /** The server's rate. */
    sealed class Rate {
        /** Always the same. */
        class Steady(val rate: Double) : Rate()

        /** Another one from some moment on. */
        class Change(val before: Double, val after: Double) : Rate()

        /** Swings by a factor of seven in a minute, with a quicker tremble on top. */
        class Wander(val around: Double) : Rate()
    }

    /** Whether the server's rate changes once, so that settling is timed. */
    val isChange: Boolean get() = rate is Rate.Change

    /** The condition of [seed]. A change comes at another moment of the limiter's cycle for each of them. */
    fun of(seed: Long): RateCondition {
        val changeAt = if (isChange) CHANGE + seed * LATER else null
        val capacity: (Double) -> Double = when (rate) {
            is Rate.Steady -> { _ -> rate.rate }
            is Rate.Change -> { at -> if (at < changeAt!!) rate.before else rate.after }
            is Rate.Wander -> { at -> rate.around * exp(0.7 * sin(at * 2 * PI / 60) + 0.3 * sin(at * 2 * PI / 17)) }
        }
        return RateCondition(
            name = name,
            callers = callers,
            clients = clients,
            latency = latency,
            think = think,
            seconds = if (changeAt == null) seconds else changeAt + AFTER,
            countedFrom = warmUp,
            stepAt = changeAt,
            capacity = capacity,
        )
    }

    private companion object {
        /** By then every limiter has found the first rate. */
        const val CHANGE = 200.0
        const val LATER = 3.7

        /** How long a change is watched. */
        const val AFTER = 120.0
    }
}
