package dev.reprise.lab.adaptive

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.coroutines.Retrier
import dev.reprise.lab.fleet.Answer
import dev.reprise.lab.sim.World
import dev.reprise.virtualtime.RateCondition

/** The result of one policy under one [condition]. Shares are parts of one. */
internal class Convergence(
    val condition: RateCondition,
    /** Calls that succeeded, as a part of those that could be served. */
    val success: Double,
    /** Attempts that were throttled, of all attempts. */
    val throttled: Double,
    /** The worst served caller against the mean. */
    val worstCaller: Double,
    /** The worst served client against the mean. */
    val worstClient: Double,
    /** Attempts that had to wait for a permit. */
    val waits: Int,
    /** A sample for each half second. */
    val samples: List<RateCondition.Sample>,
) {
    /** Seconds until the limiters have followed a change of the server's rate; NaN for never. */
    val settling: Double get() = condition.settling(samples)

    companion object {
        private const val SAMPLE = 0.5

        /** Runs the library's own executor and limiter in virtual time. The same seed gives the same history. */
        fun of(condition: RateCondition, policy: RetryPolicy, seed: Long): Convergence {
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
            condition: RateCondition,
            onSuccess: () -> Unit,
        ) {
            while (true) {
                val outcome = retrier.outcome { server.ask() }
                if (outcome.reason == StopReason.SUCCESS && seconds >= condition.countedFrom) onSuccess()
                if (condition.think > 0) wait(condition.think * (0.5 + chance.uniform()))
            }
        }

        private fun sample(
            world: World,
            condition: RateCondition,
            clients: List<Retrier>,
            server: MeteredServer,
        ): List<RateCondition.Sample> = (1..(condition.seconds / SAMPLE).toInt()).map { number ->
            val asked = server.asked
            val served = server.served
            world.passTo(number * SAMPLE)
            RateCondition.Sample(
                number * SAMPLE,
                clients.sumOf { it.sendRate?.sendRate ?: 0.0 },
                server.asked - asked,
                server.served - served,
            )
        }
    }
}

/** The server of a [RateCondition]; counts from the moment when that does. */
internal class MeteredServer(private val world: World, private val condition: RateCondition) {
    private var tokens = burst()
    private var filledAt = 0.0

    /** Requests since the beginning. */
    var asked = 0
        private set

    /** Requests that were served since the beginning. */
    var served = 0
        private set

    /** Requests that were admitted while it counted. */
    var admitted = 0
        private set

    /** Requests that were throttled while it counted. */
    var throttled = 0
        private set

    suspend fun ask(): Answer {
        val admits = admit()
        world.wait(condition.latency.draw(world.chance))
        return if (admits) Answer.OK else THROTTLED
    }

    private fun admit(): Boolean {
        val now = world.seconds
        tokens = minOf(burst(), tokens + (now - filledAt) * condition.capacity(now))
        filledAt = now
        asked++
        val admits = tokens >= 1
        if (admits) {
            tokens -= 1
            served++
        }
        if (now >= condition.countedFrom) if (admits) admitted++ else throttled++
        return admits
    }

    private fun burst() = maxOf(1.0, condition.capacity(world.seconds) / 10)

    private companion object {
        val THROTTLED = Answer(Answer.Kind.REFUSED, 400, "ThrottlingException")
    }
}
