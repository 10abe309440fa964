package dev.reprise.core.rate.sim

import dev.reprise.core.rate.SendRateSettings
import kotlin.math.exp
import kotlin.math.sin

internal object Tuning {
    val single = ServerKind.entries.flatMap { kind ->
        listOf(0.2, 0.5, 1.0, 10.0, 100.0, 1000.0, 10000.0).map { c ->
            Condition(
                kind, if (c >= 10000) 400 else 200,
                seconds = if (c > 999) 120.0 else if (c < 1) 900.0 else 300.0, countedFrom = 60.0, capacity = { c },
            )
        }
    }

    fun step(before: Double, after: Double, seed: Int, kind: ServerKind = ServerKind.BUCKET_10): Condition {
        val at = 200 + seed * 3.7
        return Condition(kind, if (maxOf(before, after) > 500) 100 else 10, seconds = at + 60, stepAt = at) { if (it < at) before else after }
    }

    fun table(settings: SendRateSettings) {
        for (kind in ServerKind.entries) {
            val cells = single.filter { it.server == kind }.map { cond ->
                val f = Fleet(cond, settings, 1).run()
                "%.2f (%4.1f)".format(f.success, 100 * f.throttledShare)
            }
            println("%-20s %s".format(kind.title, cells.joinToString("  ")))
        }
    }

    fun small(settings: SendRateSettings) {
        for (k in listOf(1, 10)) for (kind in listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10, ServerKind.FIXED, ServerKind.COUNTING)) {
            val cells = listOf(0.2, 1.0, 10.0, 100.0).flatMap { c -> listOf(Latency.USUAL, Latency.SLOW, Latency.HEAVY).map { l ->
                val cond = Condition(kind, k, latency = l, seconds = if (c < 1) 900.0 else 300.0, capacity = { c })
                val f = Fleet(cond, settings, 1).run()
                "%.2f (%4.1f)".format(f.success, 100 * f.throttledShare)
            } }
            println("K=%-3d %-20s %s".format(k, kind.title, cells.joinToString("  ")))
        }
    }

    fun steps(settings: SendRateSettings) {
        for ((a, b) in listOf(100 to 50, 100 to 10, 10 to 1, 100 to 200, 1 to 10, 10 to 100, 1000 to 100, 1000 to 2000)) {
            val line = listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10, ServerKind.FIXED).joinToString("   ") { kind ->
                val s = (1..9).map { Fleet(step(a.toDouble(), b.toDouble(), it, kind), settings, it.toLong()).run().settling }
                "%5.1f %5.1f".format(s.sorted()[4], s.max())
            }
            println("%5d->%-5d median, slowest: burst 1, C/10, fixed: %s".format(a, b, line))
        }
    }

    fun fair(settings: SendRateSettings) {
        for (n in listOf(2, 3, 5, 10, 100)) for (late in listOf(false, true)) {
            if (late && n > 10) continue
            val cells = (if (n == 100) listOf(10, 100, 1000) else listOf(10, 30, 100, 1000)).map { c ->
                val at = 120.0
                val runs = listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10).map { kind -> (1..5).map { seed ->
                    Fleet(
                        Condition(
                            kind, 10, n, seconds = 480.0, countedFrom = 180.0,
                            startsAt = { if (late && it == n - 1) at else 0.0 }, capacity = { c.toDouble() },
                        ), settings, seed.toLong(),
                    ).run()
                } }
                runs.joinToString(" | ") { "%.2f %.2f".format(it.map { it.worstClient }.sorted()[0], it.map { it.success }.sorted()[2]) }
            }
            println("%d clients%s worst, success: %s".format(n, if (late) " late" else "     ", cells.joinToString("   ")))
        }
    }

    fun outage(settings: SendRateSettings) {
        for (c in listOf(10.0, 100.0, 1000.0)) for (what in listOf(Condition.Answers.BROKEN, Condition.Answers.THROTTLES)) {
            val f = Fleet(
                Condition(ServerKind.BUCKET_10, 200, seconds = 240.0, answers = { if (it in 120.0..180.0) what else Condition.Answers.USUAL }, capacity = { c }),
                settings, 1,
            ).run()
            val during = f.samples.filter { it.at in 120.5..180.0 }.sumOf { it.sent } / 60.0
            val after = (0..9).map { i -> f.samples.filter { it.at > 180 + i && it.at <= 181.0 + i }.sumOf { it.served } / c }
            println("outage %s of %.0f/s: %.1f/s during, then %s".format(what, c, during, after.joinToString { "%.2f".format(it) }))
        }
    }

    fun wander(settings: SendRateSettings) {
        val cells = listOf(10, 100, 1000).map { rate ->
            val f = Fleet(Condition(ServerKind.BUCKET_10, 200) { rate * exp(0.7 * sin(it * 2 * Math.PI / 60) + 0.3 * sin(it * 2 * Math.PI / 17)) }, settings, 1).run()
            "%.2f (%4.1f)".format(f.success, 100 * f.throttledShare)
        }
        println("wander " + cells)
        val f = Fleet(Condition(ServerKind.BUCKET_1, 10.0, 200), settings, 1).run()
        println("C=10 K=200 worst caller %.2f".format(f.worstCaller))
        for (other in listOf(Condition.Other.EXACT, Condition.Other.UNLIMITED)) {
            val cells = listOf(10.0, 100.0, 1000.0).map { c ->
                val f = Fleet(Condition(ServerKind.BUCKET_10, 10, 10, other = { if (it % 2 == 0) Condition.Other.NONE else other }, capacity = { c }), settings, 1).run()
                val by = f.byClient
                "%.2f".format(by.filterIndexed { i, _ -> i % 2 == 0 }.sum().toDouble() / by.sum())
            }
            println("share of steady beside $other: $cells")
        }
    }
}

/** The table of the findings. */
internal fun main(args: Array<String>) {
    val settings = if ("exact" in args) SendRateSettings.EXACT else {
        fun d(name: String, default: Double) = System.getProperty(name)?.toDouble() ?: default
        val o = SendRateSettings.STEADY
        val t = o.steady
        o.copy(
            beta = d("beta", o.beta), scale = d("scale", o.scale), minFillRate = d("floor", 0.1),
            steady = t.copy(
                recoverySeconds = d("recovery", t.recoverySeconds), gentleBelow = d("gentle", t.gentleBelow),
                burstAttempts = d("ba", t.burstAttempts), burstSeconds = d("bs", t.burstSeconds), doublingSeconds = d("dbl", t.doublingSeconds),
                deepestCut = d("dc", t.deepestCut), firstBurstSeconds = d("fb", t.firstBurstSeconds), trustPerSecond = d("trust", t.trustPerSecond),
            ),
        )
    }
    val all = args.none { it in listOf("trace", "t", "k", "s", "f", "o", "w") }
    if ("trace" in args) {
        val kind = ServerKind.valueOf(args[1])
        val c = args[2].toDouble()
        val after = args[3].toDouble()
        val f = Fleet(Condition(kind, args[4].toInt(), seconds = 130.0, countedFrom = 60.0, capacity = { if (it < 100) c else after }), settings, 1).run()
        f.samples.filter { it.at in args[5].toDouble()..args[6].toDouble() }.forEach { println("%6.1f permitted %9.2f sent %6d served %6d".format(it.at, it.permitted, it.sent, it.served)) }
        return
    }
    if (all || "t" in args) Tuning.table(settings)
    if (all || "k" in args) Tuning.small(settings)
    if (all || "s" in args) Tuning.steps(settings)
    if (all || "f" in args) Tuning.fair(settings)
    if (all || "o" in args) Tuning.outage(settings)
    if (all || "w" in args) Tuning.wander(settings)
}
