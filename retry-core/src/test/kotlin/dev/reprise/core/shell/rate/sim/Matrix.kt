package dev.reprise.core.shell.rate.sim

import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.sim.Condition.Other
import dev.reprise.virtualtime.Latency
import dev.reprise.virtualtime.RateCondition
import kotlin.math.PI
import kotlin.math.exp
import kotlin.math.max
import kotlin.math.sin

/**
 * The conditions under which a limiter has to prove itself: kinds of servers, rates, callers, clients, latencies,
 * changes, outages and mixed fleets. `docs/research/adaptive.md` shows what comes out.
 */
internal object Matrix {
    /** The seeds of the figures. Constants were chosen on seeds 1 to 9, none on these. */
    val UNSEEN = 10L..36L

    private val rates = listOf(0.2, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
    private val sharers = listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10, ServerKind.FIXED)
    private val latencies = listOf(Condition.QUICK, RateCondition.USUAL, Condition.HEAVY, Condition.SLOW)

    /** One client, every kind of server. */
    val single: List<Condition> = ServerKind.entries.flatMap { server ->
        rates.flatMap { rate ->
            listOf(1, 10, 200).flatMap { callers ->
                latencies.filter { exists(server, rate, it) }.map { latency -> alone(server, rate, callers, latency) }
            }
        }
    }

    /** What a test can afford: the cells that a change of the rule has spoilt before. */
    val quick: List<Condition> = ServerKind.entries.flatMap { server ->
        listOf(0.2, 1.0, 10.0, 100.0, 1000.0).filter { exists(server, it, RateCondition.USUAL) }.map { rate ->
            alone(server, rate, 200, RateCondition.USUAL)
        }
    }

    /** Callers that ask for half of what a server without a burst admits. */
    val unused: List<Condition> = listOf(
        alone(ServerKind.BUCKET_1, 1000.0, 10, RateCondition.USUAL),
        alone(ServerKind.BUCKET_1, 10_000.0, 10, Condition.QUICK),
    )

    /** Callers that wake some milliseconds late, as those of a machine do: meanwhile up to a hundred permits come due. */
    val sleepy: List<Condition> = listOf(
        ServerKind.BUCKET_1,
        ServerKind.BUCKET_10,
        ServerKind.FIXED,
    ).flatMap { server ->
        listOf(100.0, 1000.0, 10_000.0).flatMap { rate ->
            listOf(0.002, 0.01).map { late -> Condition(server, callers = 400, seconds = 120.0, late = late) { rate } }
        }
    }

    /**
     * A server that throttles for the first second only, and callers that ask for 0.9 of what it admits, now more, now less.
     * Counted from the fifth minute on.
     */
    val quiet: Condition = Condition(
        ServerKind.BUCKET_C,
        callers = 270,
        think = 3.0,
        seconds = 480.0,
        countedFrom = 240.0,
        answers = ::throttlesAtFirst,
        name = "quiet after a second of throttles, C 100",
    ) { 100.0 }

    /**
     * A server that throttles for the first second only, five callers, and 300 more after seven minutes, far more than a limiter
     * that is still on could let through.
     */
    val unlimited: Condition = Condition(
        ServerKind.BUCKET_C,
        callers = 305,
        think = 1.0,
        seconds = 430.0,
        countedFrom = 300.0,
        answers = ::throttlesAtFirst,
        begins = { if (it < 5) 0.0 else 420.0 },
        name = "sixty times the callers after seven quiet minutes, C 1000",
    ) { 1000.0 }

    /** Callers that begin their calls together, at a server that has throttled for a second and takes them together. */
    val bunches: List<Condition> = listOf(
        Bunch(ServerKind.BUCKET_C, 100.0, 20, every = 1.0),
        Bunch(ServerKind.BUCKET_C, 100.0, 50, every = 10.0),
        Bunch(ServerKind.BUCKET_10, 1000.0, 80, every = 1.0),
        Bunch(ServerKind.FIXED, 100.0, 20, every = 1.0),
    ).map { bunch ->
        Condition(
            bunch.server,
            callers = bunch.size,
            together = bunch.every,
            seconds = 170.0,
            countedFrom = 30.0,
            answers = ::throttlesAtFirst,
            name = bunch.name,
        ) { bunch.rate }
    }

    private class Bunch(val server: ServerKind, val rate: Double, val size: Int, val every: Double) {
        val name get() = "${server.title}, C ${rate.toInt()}, $size calls together every ${every.toInt()} s"
    }

    /** Callers that ask for a tenth of a server; after the limiter has searched for two minutes there are twenty times as many. */
    val demand: List<Condition> =
        listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10, ServerKind.FIXED, ServerKind.COUNTING).flatMap { server ->
            listOf(10.0, 100.0, 1000.0).map { rate ->
                val few = max(1, (rate / 10).toInt())
                Condition(
                    server,
                    callers = 20 * few,
                    think = 0.98,
                    seconds = 180.0,
                    countedFrom = 121.0,
                    answers = ::throttlesAtFirst,
                    begins = { if (it < few) 0.0 else 120.0 },
                    name = "${server.title}, C ${rate.toInt()}, demand goes from a tenth of it to twice as much",
                ) { rate }
            }
        }

    /** A fast server that becomes a counting window of few; counted from five minutes after that on. */
    val slowed: List<Condition> = listOf(
        100.0 to 0.2,
        100.0 to 0.5,
        1000.0 to 0.2,
        10.0 to 0.2,
    ).flatMap { (before, after) ->
        listOf(10, 200).map { callers ->
            Condition(
                ServerKind.COUNTING,
                callers,
                seconds = 1020.0,
                countedFrom = 420.0,
                name = "counting window, C ${before.toInt()}, then $after, $callers callers",
            ) { if (it < 120) before else after }
        }
    }

    private fun throttlesAtFirst(seconds: Double) =
        if (seconds < 1) Condition.Answers.THROTTLES else Condition.Answers.USUAL

    /** Two to a hundred clients that know nothing of each other. */
    val shared: List<Condition> = sharers.flatMap { server ->
        listOf(10.0, 30.0, 100.0, 1000.0).flatMap { rate ->
            listOf(2, 3, 5, 10, 100).map { clients -> Condition(server, rate, callers = 10, clients = clients) }
        }
    }

    /** A client that starts two minutes after the others; what it gets is counted from a minute later on. */
    val late: List<Condition> = listOf(ServerKind.BUCKET_1, ServerKind.BUCKET_10).flatMap { server ->
        listOf(10.0, 30.0, 100.0).flatMap { rate ->
            listOf(2, 3, 5).map { clients ->
                Condition(
                    server,
                    callers = 10,
                    clients = clients,
                    countedFrom = 180.0,
                    seconds = 480.0,
                    startsAt = { if (it == clients - 1) 120.0 else 0.0 },
                    name = "${server.title}, C ${rate.toInt()}, the last of $clients clients comes late",
                ) { rate }
            }
        }
    }

    /** The first ten seconds of clients that know nothing, and whose callers begin together. */
    val starts: List<Condition> = listOf(
        ServerKind.BUCKET_1,
        ServerKind.BUCKET_C,
        ServerKind.FIXED,
        ServerKind.COUNTING,
    ).flatMap { server ->
        listOf(1.0, 10.0, 100.0, 1000.0).flatMap { rate ->
            listOf(1 to 1, 20 to 1, 200 to 1, 10 to 20).map { (callers, clients) ->
                Condition(server, callers, clients, Condition.HEAVY, seconds = 30.0, countedFrom = 0.0) { rate }
            }
        }
    }

    /** 200 callers of ten a second, for five minutes and for 25: in the first they have twelve answers each. */
    val crowded: List<Condition> = listOf(300.0, 1500.0).map { seconds ->
        Condition(
            ServerKind.BUCKET_1,
            callers = 200,
            seconds = seconds,
            name = "200 callers of 10/s, ${seconds.toInt()} s",
        ) {
            10.0
        }
    }

    /** A hundred clients, for five minutes, 25, and 100. */
    val lasting: List<Condition> = listOf(300.0, 1500.0, 6000.0).map { seconds ->
        Condition(
            ServerKind.BUCKET_10,
            callers = 10,
            clients = 100,
            seconds = seconds,
            name = "100 clients of 100/s, ${seconds.toInt()} s",
        ) { 100.0 }
    }

    /** A server whose rate swings by a factor of seven in a minute, with a quicker tremble on top. */
    val wandering: List<Condition> = listOf(10, 100, 1000).map { rate ->
        Condition(ServerKind.BUCKET_10, callers = 200, name = "wanders around $rate/s") {
            rate * exp(0.7 * sin(it * 2 * PI / 60) + 0.3 * sin(it * 2 * PI / 17))
        }
    }

    /** Ten clients, of which every second one is no steady one. */
    val mixed: List<Condition> = listOf(Other.EXACT, Other.UNLIMITED).flatMap { other ->
        listOf(10.0, 100.0, 1000.0).map { rate ->
            Condition(
                ServerKind.BUCKET_10,
                callers = 10,
                clients = 10,
                other = { if (it % 2 == 0) Other.NONE else other },
                name = "C ${rate.toInt()}, five beside five ${other.name.lowercase()}",
            ) { rate }
        }
    }

    /** Changes of a server's rate for good. */
    val steps: List<Pair<Int, Int>> =
        listOf(100 to 50, 100 to 10, 10 to 1, 100 to 200, 1 to 10, 10 to 100, 1000 to 100, 1000 to 2000)

    /** The step from [before] to [after]; each seed makes it at another moment of the limiter's cycle. */
    fun step(before: Int, after: Int, server: ServerKind, seed: Long): Condition {
        val at = 200 + seed * 3.7
        val callers = if (maxOf(before, after) > 500) 100 else 10
        return Condition(server, callers, seconds = at + 90, stepAt = at) {
            if (it < at) before.toDouble() else after.toDouble()
        }
    }

    /** Seconds until the rate has settled after a step, in order, for each of [seeds]. */
    fun settling(
        before: Int,
        after: Int,
        server: ServerKind,
        settings: SendRateSettings,
        seeds: LongRange = UNSEEN,
    ): List<Double> = seeds.map { Fleet(step(before, after, server, it), settings, it).run().settling }.sorted()

    /** A minute of [answers], from the 120th second [until] then. */
    fun outage(rate: Double, answers: Condition.Answers, until: Double = 180.0): Condition = Condition(
        ServerKind.BUCKET_10,
        callers = 200,
        seconds = 240.0,
        answers = { if (it in 120.0..until) answers else Condition.Answers.USUAL },
        name = "a minute of ${answers.name.lowercase()} answers, C ${rate.toInt()}",
    ) { rate }

    private fun alone(server: ServerKind, rate: Double, callers: Int, latency: Latency) =
        Condition(server, callers, latency = latency, seconds = length(rate)) { rate }

    /** Long enough for some cycles of the limiter, short enough to be simulated. */
    private fun length(rate: Double) = if (rate < 1) {
        900.0
    } else if (rate < 1000) {
        300.0
    } else {
        120.0
    }

    /** A limit on what is under way is a whole number: lower rates do not exist there. */
    private fun exists(server: ServerKind, rate: Double, latency: Latency) =
        server != ServerKind.CONCURRENCY || rate * latency.mean >= 1
}
