package dev.reprise.lab.stability

import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Scenario
import dev.reprise.lab.fleet.Simulation

/**
 * The condition of one fleet: each client's calls a second, how long the server is away, and how long an attempt may
 * take.
 */
internal class Condition(val calls: Double, val outage: Double, val timeout: Double)

/**
 * The load, as a part of the server's capacity, from which on a fleet does not come back; between [LEAST] and [MOST].
 * [scenarioAt] makes the scenario of a load. Found by halving: the border of this seed is at most half a [STEP] away.
 */
internal class Border(private val contestant: Contestant, private val scenarioAt: (load: Double) -> Scenario) {
    /** The border from [seed], or `null` if the fleet comes back from every load up to [MOST]; [onRun] hears of each run. */
    fun find(seed: Long, onRun: () -> Unit): Double? {
        var back = FIRST_STEP
        var dead = LAST_STEP + 1
        while (dead - back > 1) {
            val middle = (back + dead) / 2
            if (returns(middle * STEP, seed)) back = middle else dead = middle
            onRun()
        }
        return if (dead > LAST_STEP) null else (back + dead) / 2.0 * STEP
    }

    private fun returns(load: Double, seed: Long) =
        Simulation(scenarioAt(load), contestant, seed).run().recovery != null

    internal companion object {
        /** The resolution. */
        const val STEP = 0.025
        private const val FIRST_STEP = 1
        private const val LAST_STEP = 38

        /** Below this nothing is tried: it counts as coming back. */
        const val LEAST = FIRST_STEP * STEP

        /** Above this a server is busy without any retries. */
        const val MOST = LAST_STEP * STEP

        /** Runs that one border takes, at most. */
        const val RUNS = 6
    }
}
