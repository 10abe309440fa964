package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import dev.reprise.lab.text.jsonNumber
import dev.reprise.lab.text.putObjects
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonObject

/** Puts the runs of one policy: all figures, and the seconds of the first run. */
internal fun JsonObjectBuilder.putRuns(runs: List<Result>) {
    put("events", runs.sumOf { it.events })
    putJsonObject("figures") {
        for (figure in Figure.all.values) {
            val all = runs.map(figure::of).sorted()
            putJsonObject(figure.name) {
                put("median", jsonNumber(figure.median(runs)))
                put("least", jsonNumber(all.first()))
                put("most", jsonNumber(all.last()))
            }
        }
    }
    putObjects("seconds", runs.first().seconds) { second ->
        put("calls", second.calls)
        put("attempts", second.attempts)
        put("throttled", second.throttled)
        put("succeeded", second.succeeded)
        put("failed", second.failed)
        put("p50Ms", jsonNumber(second.p50))
        put("p99Ms", jsonNumber(second.p99))
    }
}
