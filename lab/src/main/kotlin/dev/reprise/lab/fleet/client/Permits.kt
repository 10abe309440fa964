package dev.reprise.lab.fleet.client

import dev.reprise.core.rate.NoPermit
import dev.reprise.core.rate.RateWatcher
import dev.reprise.core.rate.SendRate
import dev.reprise.lab.fleet.kernel.Agenda
import dev.reprise.lab.fleet.kernel.Event

/** The line for the send permits of one client: first come, first served, as the library's own. */
internal class Permits(private val rate: SendRate, private val noPermit: NoPermit, private val agenda: Agenda) :
    Event(),
    RateWatcher {
    private val line = ArrayDeque<Call>()

    init {
        rate.watcherOr(this)
    }

    override val isWaiting: Boolean get() = line.isNotEmpty()

    override fun rateChanged() {
        if (isWaiting) agenda.plan(this, agenda.now)
    }

    /** Takes a permit if one is there and the line is empty. */
    fun tryTake(): Boolean = !rate.isOn || (line.isEmpty() && rate.tryTake(agenda.now))

    /**
     * Puts [call] in the line, whose deadline leaves [timeLeft] ns. Returns when its patience ends, in ns, or [REFUSED] if
     * its turn will not come by then.
     */
    fun join(call: Call, timeLeft: Long): Long {
        val patience = when (noPermit) {
            NoPermit.Wait -> Long.MAX_VALUE
            NoPermit.Fail -> 0
            is NoPermit.WaitAtMost -> noPermit.nanos
        }
        val longest = minOf(patience, timeLeft)
        if (rate.state.waitNanos(agenda.now, ahead = line.size) > longest) return REFUSED
        line.addLast(call)
        if (line.size == 1) agenda.plan(this, agenda.now)
        return if (longest >= Long.MAX_VALUE - agenda.now) Long.MAX_VALUE else agenda.now + longest
    }

    /** Takes [call] out of the line. */
    fun leave(call: Call) {
        line.remove(call)
    }

    override fun happen() {
        while (true) {
            val head = line.firstOrNull() ?: return
            if (!rate.tryTake(agenda.now)) {
                agenda.plan(this, agenda.now + rate.state.waitNanos(agenda.now))
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
