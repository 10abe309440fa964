package dev.reprise.lab.sim

import dev.reprise.core.classify.HttpOutcome

/** What a simulated server answers. */
internal class Answer private constructor(override val status: Int, override val errorCode: String?) : HttpOutcome() {
    override fun header(name: String): String? = null

    /** Whether the work was done. */
    val isGood: Boolean get() = status == GOOD

    companion object {
        private const val GOOD = 200

        val OK = Answer(GOOD, null)
        val BROKEN = Answer(500, null)
        val BUSY = Answer(503, null)
        val THROTTLED = Answer(400, "ThrottlingException")
    }
}

/** How a server fails during an outage. */
internal enum class OutageKind(val word: String) {
    /** It answers every request with a 500, at its usual latency. */
    ERROR("error"),

    /** It takes every request and answers none. */
    STALL("stall"),
}

/**
 * A server with a queue: it works on [capacity] requests a second, one after the other, holds at most [queueLimit] of them
 * and turns the rest away with a 503. It does not know when a caller has lost patience, and does the work all the same.
 */
internal class QueueServer(
    private val world: World,
    private val capacity: Double,
    private val latency: Double,
    private val queueLimit: Int,
) {
    private var freeAt = 0.0

    /** How it fails now, or `null`. */
    var outage: OutageKind? = null

    suspend fun ask(): Answer {
        when (outage) {
            OutageKind.ERROR -> {
                world.wait(latency)
                return Answer.BROKEN
            }

            OutageKind.STALL -> {
                world.wait(FOR_EVER)
                return Answer.BROKEN
            }

            null -> Unit
        }
        val now = world.seconds
        val begins = maxOf(now, freeAt)
        if ((begins - now) * capacity >= queueLimit) {
            world.wait(latency)
            return Answer.BUSY
        }
        freeAt = begins + 1 / capacity
        world.wait(freeAt - now + latency)
        return if (outage == OutageKind.ERROR) Answer.BROKEN else Answer.OK
    }

    private companion object {
        /** Longer than any simulation. */
        const val FOR_EVER = 1e9
    }
}

/** A server that admits [rate] requests a second, in bursts of up to a tenth of that, and throttles the rest on arrival. */
internal class AdmittingServer(private val world: World, rate: Double) {
    private var tokens = 1.0
    private var filledAt = 0.0

    /** What it admits now, in requests a second. */
    var rate: Double = rate
        set(value) {
            fill()
            field = value
        }

    suspend fun ask(): Answer {
        fill()
        val admits = tokens >= 1
        if (admits) tokens -= 1
        world.wait(FASTEST + (SLOWEST - FASTEST) * world.uniform())
        return if (admits) Answer.OK else Answer.THROTTLED
    }

    private fun fill() {
        val now = world.seconds
        tokens = minOf(maxOf(1.0, rate * BURST_SECONDS), tokens + (now - filledAt) * rate)
        filledAt = now
    }

    private companion object {
        const val BURST_SECONDS = 0.1
        const val FASTEST = 0.015
        const val SLOWEST = 0.025
    }
}
