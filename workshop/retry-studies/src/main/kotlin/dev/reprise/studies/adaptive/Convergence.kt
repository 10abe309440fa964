package dev.reprise.studies.adaptive

import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.StopReason
import dev.reprise.lab.fleet.Answer
import dev.reprise.studies.World
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
    val samples: List<RateCondition.Sample>,
) {
    /** Seconds until the limiters have followed a change of the server's rate; NaN for never. */
    val settling: Double get() = condition.settling(samples)

    companion object {
        /** Seconds of a sample. */
        private const val SAMPLE = 0.5

        /** Runs the library's own executor and limiter in virtual time. The same seed gives the same history. */
        fun of(condition: RateCondition, policy: RetryPolicy, seed: Long): Convergence {
            val world = World(seed)
            val server = MeteredServer(world, condition)
            val served = IntArray(condition.callers)
            var waits = 0
            val listener = RetryListener { event ->
                if (event is RetryEvent.PermitWaited && world.seconds >= condition.countedFrom) waits++
            }
            val clients = List(condition.clients) { world.retrier(policy).with(listener) }
            repeat(condition.callers) { caller ->
                val retrier = clients[caller % clients.size]
                world.start {
                    while (true) {
                        val outcome = retrier.outcome { server.ask() }
                        val isGood = outcome.reason == StopReason.SUCCESS
                        if (isGood && world.seconds >= condition.countedFrom) served[caller]++
                        if (condition.think > 0) world.wait(condition.think * (0.5 + world.chance.uniform()))
                    }
                }
            }
            val samples = (1..(condition.seconds / SAMPLE).toInt()).map { number ->
                val (asked, admitted) = server.asked to server.served
                world.passTo(number * SAMPLE)
                val permitted = clients.sumOf { it.sendRate?.sendRate ?: 0.0 }
                RateCondition.Sample(number * SAMPLE, permitted, server.asked - asked, server.served - admitted)
            }
            val byClient = served.indices.groupBy({ it % clients.size }, { served[it] }).values.map { it.sum() }
            return Convergence(
                condition,
                success = served.sum() / condition.servable,
                throttled = server.throttled.toDouble() / maxOf(1, server.throttled + server.admitted),
                worstCaller = served.min() / served.average(),
                worstClient = byClient.min() / byClient.average(),
                waits = waits,
                samples = samples,
            )
        }
    }
}

/** The server of a [RateCondition]: a bucket of a tenth of a second, whose rate may change at any time. */
private class MeteredServer(private val world: World, private val condition: RateCondition) {
    private var tokens = burst()
    private var filledAt = 0.0

    /** Requests since the beginning, and those that were served. */
    var asked = 0
    var served = 0

    /** Requests that were admitted and throttled while the condition counts. */
    var admitted = 0
    var throttled = 0

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
        val THROTTLED = Answer(400, "ThrottlingException", isRefused = true)
    }
}
