package dev.reprise.core.shell.quota.sim

import dev.reprise.core.QuotaSettings

/** The tables of `docs/research/quota.md`: medians over [seeds]. */
internal class Tables(private val contestants: Map<String, QuotaSettings?>, private val seeds: LongRange) {
    private val fleets = listOf(10 to 50.0, 500 to 1.0, 5_000 to 0.1)
    private val sizes = listOf(1 to 50.0, 50 to 1.0, 500 to 0.1)

    /** All tables as Markdown. */
    fun print(out: (String) -> Unit) {
        table(out, "attempts for each call, 30 s outage: 10 × 50/s, 500 × 1/s, 5,000 × 0.1/s") { settings, seed ->
            fleets.map { (clients, rate) -> Experiments.outage(settings, clients, rate, 30, seed).first }
        }
        table(out, "attempts for each call, 60 s outage of 1,000 × 1/s: whole, first 10 s") { settings, seed ->
            Experiments.outage(settings, 1_000, 1.0, 60, seed).toList()
        }
        for ((stall, load) in listOf(Stall.LOST to 0.91, Stall.LOST to 0.95, Stall.QUEUED to 0.91)) {
            table(out, "seconds to recover from a stall of 30 s, load $load, requests $stall") { settings, seed ->
                fleets.map { (clients, rate) -> recovery(settings, clients, rate, load, stall, seed) }
            }
        }
        for (probability in listOf(0.01, 0.05, 0.1, 0.2, 0.3)) {
            table(out, "success of independent failures, $probability: 50, 1 and 0.1 calls/s", 4) { settings, seed ->
                sizes.map { (clients, rate) ->
                    Experiments.independent(settings, clients, rate, probability, to = 600, seed = seed).first
                }
            }
        }
        for (probability in listOf(0.3, 0.5, 0.7)) {
            table(out, "attempts for each call, brown-out of $probability: first minute, minutes 5 to 10") {
                    settings,
                    seed,
                ->
                fleets.flatMap { (clients, rate) ->
                    listOf(0 to 60, 300 to 600).map { (from, to) ->
                        Experiments.independent(settings, clients, rate, probability, from, to, seed).second
                    }
                }
            }
        }
        table(out, "healthy calls lost beside a dead operation: client of 50, 10 and 1 calls/s", 4) { settings, seed ->
            listOf(50.0, 10.0, 1.0).map { Experiments.deadOperation(settings, it, (20_000 / it).toInt(), seed) }
        }
    }

    private fun recovery(settings: QuotaSettings?, clients: Int, rate: Double, load: Double, stall: Stall, seed: Long) =
        Experiments.stall(settings, clients, rate, load, stall, seed = seed).recovery?.toDouble()
            ?: Double.POSITIVE_INFINITY

    private fun table(
        out: (String) -> Unit,
        title: String,
        digits: Int = 2,
        figures: (QuotaSettings?, Long) -> List<Double>,
    ) {
        out("\n$title\n")
        for ((name, settings) in contestants) {
            val runs = seeds.map { figures(settings, it) }
            val medians = runs.first().indices.map { i -> runs.map { it[i] }.sorted()[runs.size / 2] }
            out("| $name | ${medians.joinToString(" | ") { "%.${digits}f".format(it) }} |")
        }
    }
}
