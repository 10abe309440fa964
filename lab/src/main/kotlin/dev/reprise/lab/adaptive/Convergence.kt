package dev.reprise.lab.adaptive

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.coroutines.Retrier
import dev.reprise.lab.sim.World
import kotlin.math.abs

/** What became of one policy under one [condition]. Shares are parts of one. */
internal class Convergence(
    val condition: Condition,
    /** Calls that ended well, of what could be served. */
    val success: Double,
    /** Attempts that were throttled, of all attempts. */
    val throttled: Double,
    /** The worst served caller against the mean. */
    val worstCaller: Double,
    /** The worst served client against the mean. */
    val worstClient: Double,
    /** Attempts that had to wait for a permit. */
    val waits: Int,
    /** Half-second samples: time, permitted rate of all clients, attempts sent in that half second. */
    val samples: List<Sample>,
) {
    class Sample(val at: Double, val permitted: Double, val sent: Int)

    /**
     * Seconds from the step of the server's rate until the permitted rate and a second's attempts both are within a tenth
     * of the new one; NaN for never.
     */
    val settling: Double
        get() {
            val from = condition.stepAt ?: return Double.NaN
            val target = condition.capacity(condition.seconds)
            val settled =
                samples.zipWithNext().firstOrNull { (a, b) ->
                    a.at > from && abs((a.sent + b.sent) / target - 1) <= TOLERANCE &&
                        abs(b.permitted / target - 1) <= TOLERANCE
                }
            return settled?.let { it.second.at - from } ?: Double.NaN
        }

    companion object {
        private const val TOLERANCE = 0.1
        private const val SAMPLE = 0.5

        /** Runs the library's own executor and limiter in virtual time. The same seed gives the same history. */
        fun of(condition: Condition, policy: RetryPolicy, seed: Long): Convergence {
            val world = World(seed)
            val server = MeteredServer(world, condition)
            val served = IntArray(condition.callers)
            var waits = 0
            val listener =
                object : RetryListener {
                    override fun onEvent(event: RetryEvent) {
                        if (event is RetryEvent.PermitWaited && world.seconds >= condition.countedFrom) waits++
                    }
                }
            val clients = List(condition.clients) { world.retrier(policy).with(listener) }
            repeat(condition.callers) { caller ->
                world.start { world.call(clients[caller % clients.size], server, condition) { served[caller]++ } }
            }
            val samples = sample(world, condition, clients, server)
            val byClient = served.indices.groupBy({ it % clients.size }, { served[it] }).values.map { it.sum() }
            return Convergence(
                condition = condition,
                success = served.sum() / condition.servable,
                throttled = server.throttled.toDouble() / maxOf(1, server.throttled + server.admitted),
                worstCaller = served.min() / served.average(),
                worstClient = byClient.min() / byClient.average(),
                waits = waits,
                samples = samples,
            )
        }

        private suspend fun World.call(
            retrier: Retrier,
            server: MeteredServer,
            condition: Condition,
            onSuccess: () -> Unit,
        ) {
            while (true) {
                val outcome = retrier.outcome { server.ask() }
                if (outcome.reason == StopReason.SUCCESS && seconds >= condition.countedFrom) onSuccess()
                if (condition.think > 0) wait(condition.think * (0.5 + uniform()))
            }
        }

        private fun sample(
            world: World,
            condition: Condition,
            clients: List<Retrier>,
            server: MeteredServer,
        ): List<Sample> = (1..(condition.seconds / SAMPLE).toInt()).map { number ->
            val before = server.asked
            world.passTo(number * SAMPLE)
            Sample(number * SAMPLE, clients.sumOf { it.sendRate?.sendRate ?: 0.0 }, server.asked - before)
        }
    }
}

/** The server of a [Condition]; counts from the moment when that does. */
internal class MeteredServer(private val world: World, private val condition: Condition) {
    private var tokens = burst()
    private var filledAt = 0.0

    /** Requests since the beginning. */
    var asked = 0
        private set

    /** Requests that were admitted while it counted. */
    var admitted = 0
        private set

    /** Requests that were throttled while it counted. */
    var throttled = 0
        private set

    suspend fun ask(): HttpOutcome {
        val admits = admit()
        world.wait(condition.latency.draw(world))
        return if (admits) OK else THROTTLED
    }

    private fun admit(): Boolean {
        val now = world.seconds
        tokens = minOf(burst(), tokens + (now - filledAt) * condition.capacity(now))
        filledAt = now
        asked++
        val admits = tokens >= 1
        if (admits) tokens -= 1
        if (now >= condition.countedFrom) if (admits) admitted++ else throttled++
        return admits
    }

    private fun burst() = maxOf(1.0, condition.capacity(world.seconds) / 10)

    private class Answer(override val status: Int, override val errorCode: String?) : HttpOutcome() {
        override fun header(name: String): String? = null
    }

    private companion object {
        val OK = Answer(200, null)
        val THROTTLED = Answer(400, "ThrottlingException")
    }
}
