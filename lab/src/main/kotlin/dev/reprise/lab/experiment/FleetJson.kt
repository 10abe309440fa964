package dev.reprise.lab.experiment

import dev.reprise.lab.fleet.Result
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.add
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject

/** The runs of one policy as JSON. */
internal object FleetJson {
    fun write(json: JsonObjectBuilder, runs: List<Result>): Unit = with(json) {
        put("events", runs.sumOf { it.events })
        writeFigures(runs)
        writeSeconds(runs.first())
    }

    private fun JsonObjectBuilder.writeFigures(runs: List<Result>) {
        putJsonObject("figures") {
            for (figure in Figure.all.values) {
                val all = runs.map(figure::of).sorted()
                putJsonObject(figure.name) {
                    put("median", number(figure.median(runs)))
                    put("least", number(all.first()))
                    put("most", number(all.last()))
                }
            }
        }
    }

    private fun JsonObjectBuilder.writeSeconds(run: Result) {
        putJsonArray("seconds") {
            for (second in run.seconds) {
                addJsonObject {
                    put("calls", second.calls)
                    put("attempts", second.attempts)
                    put("throttled", second.throttled)
                    put("succeeded", second.succeeded)
                    put("failed", second.failed)
                    put("p50Ms", number(second.p50))
                    put("p99Ms", number(second.p99))
                }
            }
        }
    }

    /** JSON knows neither NaN nor infinity: `null` is no number, and "never" is what it says. */
    private fun number(value: Double) = when {
        value.isNaN() -> JsonNull
        value == Double.POSITIVE_INFINITY -> JsonPrimitive("never")
        else -> JsonPrimitive(value)
    }
}
