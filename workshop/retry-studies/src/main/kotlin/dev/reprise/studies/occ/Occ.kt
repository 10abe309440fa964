package dev.reprise.studies.occ

import dev.reprise.core.Classifier
import dev.reprise.core.FailureKind
import dev.reprise.core.RetryPolicy
import dev.reprise.studies.World
import kotlin.math.abs
import kotlin.math.sqrt

/**
 * The optimistic-concurrency experiment of the AWS architecture blog: clients that all want to write the same row read its
 * version, write with it, and lose if another was faster. Every message takes a [hop].|Normal(10, 2)| ms.
 */
internal class Occ(private val policy: RetryPolicy, private val clients: Int, private val hop: Hop = Hop.BLOG) {
    /** The result of one run: writes that reached the server, and the time when the last client was done, in ms. */
    class Run(val calls: Int, val millis: Double)

    private class Conflict : RuntimeException("version conflict", null, false, false)

    fun run(seed: Long): Run {
        val world = World(seed)
        var version = 0
        var calls = 0
        var finished = 0.0

        suspend fun hop() = world.wait(abs(hop.mean * MILLIS + hop.deviation * MILLIS * world.chance.normal()) / MILLIS)

        repeat(clients) {
            world.start {
                world.retrier(unlimited(policy)).invoke {
                    hop()
                    val read = version
                    hop()
                    hop()
                    calls++
                    val won = read == version
                    if (won) version++
                    hop()
                    if (!won) throw Conflict()
                }
                finished = world.seconds
            }
        }
        world.time.runToEnd()
        check(version == clients) { "every client must have written once: $version of $clients" }
        return Run(calls, finished * MILLIS)
    }

    /** Means and standard deviations of [runs] runs, seeds counting up from [seed]. */
    fun runs(runs: Int, seed: Long): Summary {
        val all = (0 until runs).map { run(seed + it) }
        val calls = Spread(all.map { it.calls.toDouble() })
        val millis = Spread(all.map { it.millis })
        return Summary(clients, calls, millis)
    }

    /** Calls and finishing times in ms for one number of clients. */
    class Summary(val clients: Int, val calls: Spread, val millis: Spread)

    private companion object {
        const val MILLIS = 1e3

        /** The experiment asks about the backoff alone: every conflict is retried, for ever and free of charge. */
        fun unlimited(policy: RetryPolicy) = policy.with {
            // One less than without limit: that is refused where a backoff never waits, as the blog's first one.
            maxAttempts = Int.MAX_VALUE - 1
            quota = null
            deadline = null
            attemptTimeout = null
            classifier = Classifier.onException(Conflict::class.java, FailureKind.TRANSIENT)
            trace = false
        }
    }
}

/** The mean of [values] and their standard deviation. */
internal class Spread(values: List<Double>) {
    val mean = values.average()
    val deviation = sqrt(values.sumOf { (it - mean) * (it - mean) } / values.size)
}
