package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.fleet.Scenario

/** How well a policy did in one experiment, by limits that are the same for all. */
internal enum class Grade(val word: String) {
    GOOD("good"),
    FAIR("fair"),
    BAD("bad"),
    ;

    companion object {
        /** The limits, for readers. */
        const val LIMITS =
            "good: at most 2 attempts per call, back within 10 s, at most 1 % more calls lost than the best policy. " +
                "Fair: 3 attempts, 60 s, 5 %. In a closed loop: at most 3 % fewer good calls a second than the best " +
                "policy; fair: 10 %."

        /** The grades of [results] by label of the policy. */
        fun of(scenario: Scenario, results: Map<String, List<Result>>): Map<String, Grade> {
            val losses = medians(results, "loss")
            val attempts = medians(results, "amplification")
            val recoveries = medians(results, "recovery")
            if (scenario.isClosedLoop) return ofClosed(medians(results, "goodput"))
            return results.keys.associateWith { label ->
                val recovery = recoveries.getValue(label)
                val more = losses.getValue(label) - losses.values.min()
                val harm = if (recovery.isNaN()) within(more, LOST) else within(recovery, BACK)
                maxOf(within(attempts.getValue(label), ATTEMPTS), harm)
            }
        }

        /** Only what is served counts: the part of attempts that is refused grows with how soon a policy gives up. */
        private fun ofClosed(good: Map<String, Double>) =
            good.mapValues { (_, rate) -> within(1 - rate / good.values.max(), FEWER) }

        private fun medians(results: Map<String, List<Result>>, figure: String) = Figure.named(figure).medians(results)

        private fun within(value: Double, limits: Limits) = when {
            value <= limits.good -> GOOD
            value <= limits.fair -> FAIR
            else -> BAD
        }

        private class Limits(val good: Double, val fair: Double)

        private val ATTEMPTS = Limits(2.0, 3.0)
        private val BACK = Limits(10.0, 60.0)
        private val LOST = Limits(0.01, 0.05)
        private val FEWER = Limits(0.03, 0.1)
    }
}
