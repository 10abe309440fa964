package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import dev.reprise.virtualtime.Event
import dev.reprise.virtualtime.EventQueue

/** The clients of one group, the times when they joined, and their operations. */
internal class Members(
    val clients: List<Client>,
    /** When each client joins, in ns, in the order of [clients] and of time. */
    private val joins: LongArray,
    /** How much each operation is called, by number; sums to 1. */
    private val mix: DoubleArray,
    val chance: Chance,
) {
    /** Any client, or `null` if that one has not joined by [now]. */
    fun any(now: Long): Client? {
        val chosen = chance.below(clients.size)
        return if (joins[chosen] <= now) clients[chosen] else null
    }

    /** When [client] joins, in ns. */
    fun joinOf(client: Int): Long = joins[client]

    /** Any operation, as the mix says. */
    fun operation(): Int {
        if (mix.size == 1) return 0
        var left = chance.uniform()
        for (operation in 0 until mix.size - 1) {
            left -= mix[operation]
            if (left < 0) return operation
        }
        return mix.size - 1
    }
}

/**
 * Calls that come whether or not the ones before have ended, [rate] a second from all clients together: at random (Poisson), or
 * evenly. Many independent clients are one stream that goes to any of them.
 */
internal class OpenLoop(
    private val members: Members,
    private val rate: Double,
    private val isEven: Boolean,
    private val queue: EventQueue,
) : Event() {
    fun start(from: Long) = queue.schedule(this, from + gap())

    override fun happen() {
        queue.schedule(this, queue.now + gap())
        members.any(queue.now)?.call(members.operation(), null)
    }

    private fun gap(): Long = nanosOf(if (isEven) 1 / rate else members.chance.exponential(1 / rate))
}

/** Calls at the moments of a trace, each by any client. */
internal class TraceLoop(private val members: Members, private val trace: Trace, private val queue: EventQueue) :
    Event() {
    private var next = 0

    fun start() = planNext()

    override fun happen() {
        val operation = trace.operations[next - 1]
        members.any(queue.now)?.call(if (operation == Trace.ANY) members.operation() else operation, null)
        planNext()
    }

    private fun planNext() {
        if (next < trace.times.size) queue.schedule(this, trace.times[next++])
    }
}

/** One caller that makes one call after another and thinks in between for [think] ns on average, from half to half as much again. */
internal class ClosedLoop(
    private val client: Client,
    private val members: Members,
    private val think: Long,
    private val queue: EventQueue,
) : Event(),
    Caller {
    fun start(at: Long) = queue.schedule(this, at)

    override fun happen() = client.call(members.operation(), this)

    override fun ended(tookTime: Boolean) {
        val pause = (think * (0.5 + members.chance.uniform())).toLong()
        // A caller whose call takes no time, and that came back at once, would ask for ever at one moment.
        queue.schedule(this, queue.now + maxOf(pause, if (tookTime) 0 else BREATH))
    }

    private companion object {
        /** The least pause after a call that took no time, in ns: the duration of a request. */
        const val BREATH = 20_000_000L
    }
}
