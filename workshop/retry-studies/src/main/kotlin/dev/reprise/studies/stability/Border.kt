package dev.reprise.studies.stability

import dev.reprise.lab.calls.Travels
import dev.reprise.lab.experiment.run
import dev.reprise.lab.fleet.Contestant
import dev.reprise.lab.fleet.Scenario

/** The resolution of a [border], as a part of the server's capacity. */
internal const val STEP = 0.025

/** Below this step nothing is tried: it counts as coming back. */
private const val FIRST_STEP = 1

/** Above this step a server is busy without any retries. */
private const val LAST_STEP = 38

/**
 * The load, as a part of the server's capacity, from which on the fleet of [contestant] does not come back in the scenario of
 * that load; `null` if it always does. Found by halving: the border of this [seed] is at most half a [STEP] away.
 */
internal fun border(contestant: Contestant, seed: Long, scenario: (Double) -> Scenario): Double? {
    var back = FIRST_STEP
    var dead = LAST_STEP + 1
    while (dead - back > 1) {
        val middle = (back + dead) / 2
        val recovery = scenario(middle * STEP).run(contestant, Travels.NOTHING, seed).recovery
        if (recovery != null) back = middle else dead = middle
    }
    return if (dead > LAST_STEP) null else (back + dead) / 2.0 * STEP
}
