package dev.reprise.lab.sim

import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.FailureKind
import kotlin.math.abs
import kotlin.math.sqrt

/**
 * The optimistic-concurrency experiment of the AWS architecture blog: clients that all want to write the same row read its
 * version, write with it, and lose if another was faster. Every message takes a [hop].|Normal(10, 2)| ms.
 */
internal class Occ(private val policy: RetryPolicy, private val clients: Int, private val hop: Hop = Hop.BLOG) {
    init {
        require(clients in 1..MOST_CLIENTS) { "clients must be from 1 to $MOST_CLIENTS: $clients" }
    }

    /**
     * The result of one run: write attempts that reached the server, and the time when the last client was done, in ms.
     */
    class Run(val calls: Int, val millis: Double, val events: Long)

    private class Conflict : RuntimeException("version conflict", null, false, false)

    /** One run from [seed]. */
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
        world.runToEnd()
        check(version == clients) { "every client must have written once: $version of $clients" }
        return Run(calls, finished * MILLIS, world.time.happened)
    }

    /** Means and standard deviations of [runs] runs, seeds counting up from [seed]. */
    fun runs(runs: Int, seed: Long, onRun: () -> Unit = {}): Summary {
        require(runs >= 1) { "runs must be at least 1: $runs" }
        val all = (0 until runs).map { run(seed + it).also { onRun() } }
        val calls = Spread.of(all.map { it.calls.toDouble() })
        val millis = Spread.of(all.map { it.millis })
        return Summary(clients, calls, millis, all.sumOf { it.events })
    }

    /** Calls and finishing times in ms for one number of clients. */
    class Summary(val clients: Int, val calls: Spread, val millis: Spread, val events: Long)

    companion object {
        /** Writes grow with the square of the clients. */
        const val MOST_CLIENTS = 2_000
        private const val MILLIS = 1e3

        /** The experiment asks about the backoff alone: every conflict is retried, for ever and free of charge. */
        private fun unlimited(policy: RetryPolicy) = policy.with {
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

/** A mean and its standard deviation. */
internal class Spread(val mean: Double, val deviation: Double) {
    companion object {
        fun of(values: List<Double>): Spread {
            val mean = values.average()
            return Spread(mean, sqrt(values.sumOf { (it - mean) * (it - mean) } / values.size))
        }
    }
}
