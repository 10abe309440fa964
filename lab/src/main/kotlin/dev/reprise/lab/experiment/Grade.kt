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
        const val LIMITS =
            "good: at most 2 attempts per call, back within 10 s, at most 1 % more calls lost than the best policy. " +
                "Fair: 3 attempts, 60 s, 5 %. In a closed loop: at most 3 % fewer good calls a second than the best " +
                "policy; fair: 10 %."

        fun of(scenario: Scenario, results: Map<String, List<Result>>): Map<String, Grade> {
            fun medians(figure: String) = Figure.named(figure).medians(results)
            if (scenario.isClosedLoop) {
                // Only what is served counts: the part of attempts that is refused grows with how soon a policy gives up.
                val good = medians("goodput")
                return good.mapValues { (_, rate) -> within(1 - rate / good.values.max(), good = 0.03, fair = 0.1) }
            }
            val losses = medians("loss")
            val attempts = medians("amplification")
            return medians("recovery").mapValues { (label, recovery) ->
                val more = losses.getValue(label) - losses.values.min()
                val harm = if (recovery.isNaN()) within(more, 0.01, 0.05) else within(recovery, 10.0, 60.0)
                maxOf(within(attempts.getValue(label), 2.0, 3.0), harm)
            }
        }

        private fun within(value: Double, good: Double, fair: Double) = when {
            value <= good -> GOOD
            value <= fair -> FAIR
            else -> BAD
        }
    }
}
