package dev.reprise.studies.stability

import dev.reprise.lab.input.Document
import dev.reprise.lab.input.Limits
import dev.reprise.lab.input.inSeconds
import dev.reprise.lab.input.members
import dev.reprise.lab.input.numberAbove

/** For which clients and outages the load is sought from which a fleet does not come back. Times in seconds. */
internal class Plan(
    val calls: List<Double>,
    val away: List<Double>,
    val timeouts: List<Double>,
    /** In which time after the outage a fleet must be back. */
    val patience: Double,
) {
    companion object {
        private const val LEAST_TIMEOUT = 0.001
        private const val LEAST_PATIENCE = 20.0

        /** Reads the member `border` of a scenario. */
        fun read(document: Document): Plan {
            val its = document.members("calls", "away", "timeouts", "patience")
            fun all(name: String) =
                its.required(name).let { list -> list.items().ifEmpty { list.wrong("must not be empty") } }
            return Plan(
                calls = all("calls").map { it.numberAbove(0.0, Limits.CALLS.toDouble()) },
                away = all("away").map { it.inSeconds(1.0) },
                timeouts = all("timeouts").map { it.inSeconds(LEAST_TIMEOUT) },
                patience = its.required("patience").inSeconds(LEAST_PATIENCE),
            )
        }
    }
}
