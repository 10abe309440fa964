package dev.reprise.lab.fleet

import dev.reprise.core.NoPermit
import dev.reprise.core.shell.rate.RateWatcher
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.core.shell.values.longestNanos
import dev.reprise.virtualtime.Event
import dev.reprise.virtualtime.EventQueue

/** The line for the send permits of one client: first come, first served, as the library's own. */
internal class Permits(private val rate: SendRate, private val noPermit: NoPermit, private val queue: EventQueue) :
    Event(),
    RateWatcher {
    private val line = ArrayDeque<Call>()

    init {
        rate.watcherOr(this)
    }

    override val isWaiting: Boolean get() = line.isNotEmpty()

    override fun rateChanged() {
        if (isWaiting) queue.schedule(this, queue.now)
    }

    /** Takes a permit if one is there and the line is empty. */
    fun tryTake(): Boolean = !rate.isOn || (line.isEmpty() && rate.tryTake(queue.now))

    /**
     * Puts [call] in the line, whose deadline leaves [timeLeft] ns. Returns when its patience ends, in ns, or [REFUSED] if
     * its turn will not come by then.
     */
    fun join(call: Call, timeLeft: Long): Long {
        val longest = minOf(noPermit.longestNanos, timeLeft)
        if (rate.state.waitNanos(queue.now, ahead = line.size) > longest) return REFUSED
        line.addLast(call)
        if (line.size == 1) queue.schedule(this, queue.now)
        return if (longest >= Long.MAX_VALUE - queue.now) Long.MAX_VALUE else queue.now + longest
    }

    fun leave(call: Call) {
        line.remove(call)
    }

    override fun happen() {
        while (true) {
            val head = line.firstOrNull() ?: return
            if (!rate.tryTake(queue.now)) {
                queue.schedule(this, queue.now + rate.state.waitNanos(queue.now))
                return
            }
            line.removeFirst()
            head.permitted()
        }
    }

    companion object {
        const val REFUSED = -1L
    }
}
