package dev.reprise.lab.fleet

import dev.reprise.virtualtime.Chance
import dev.reprise.virtualtime.EventQueue

/** The calls of one [group], from the moments when its [clients] join. */
internal class Arrivals(
    private val group: Group,
    private val clients: List<Client>,
    private val chance: Chance,
    private val queue: EventQueue,
) {
    private val joins = group.joining()

    fun start() {
        group.calls?.let { openLoop(rate = it * group.clients) }
        group.trace?.forEach { arrival -> queue.schedule(arrival.at) { callAny(arrival.operation) } }
        for ((i, client) in clients.withIndex()) repeat(group.callers) { closedLoop(client, joins[i]) }
    }

    /**
     * Calls that come whether or not the ones before have ended, [rate] a second from all clients together: at random
     * (Poisson), or evenly. Many independent clients are one stream that goes to any of them.
     */
    private fun openLoop(rate: Double) {
        fun gap() = nanosOf(if (group.isEven) 1 / rate else chance.exponential(1 / rate))
        fun call(at: Long) {
            queue.schedule(at) {
                call(queue.now + gap())
                callAny(null)
            }
        }
        call(nanosOf(group.joins) + gap())
    }

    /** One caller that makes one call after another and thinks in between, from half to half as much again as on average. */
    private fun closedLoop(client: Client, from: Long) {
        val think = nanosOf(group.think)
        lateinit var caller: Caller
        fun call(at: Long) = queue.schedule(at) { client.call(chance.choice(group.mix), caller) }
        caller = Caller { tookTime ->
            val pause = (think * (0.5 + chance.uniform())).toLong()
            // A caller whose call takes no time, and that came back at once, would ask for ever at one moment.
            call(queue.now + maxOf(pause, if (tookTime) 0 else BREATH))
        }
        call(from)
    }

    /** A call of [operation], or of any, by any client that has joined. */
    private fun callAny(operation: Int?) {
        val chosen = chance.below(clients.size)
        if (joins[chosen] <= queue.now) clients[chosen].call(operation ?: chance.choice(group.mix), null)
    }

    companion object {
        /** The least pause after a call that took no time, in ns: the duration of a request. */
        const val BREATH = 20_000_000L
    }
}

/** When each client joins, in ns. */
internal fun Group.joining(): LongArray = LongArray(clients) { nanosOf(joins + over * it / clients) }

/** One of [parts], by number and as likely as it is large; they sum to 1. */
internal fun Chance.choice(parts: List<Double>): Int {
    if (parts.size == 1) return 0
    var left = uniform()
    for (i in 0 until parts.lastIndex) {
        left -= parts[i]
        if (left < 0) return i
    }
    return parts.lastIndex
}
