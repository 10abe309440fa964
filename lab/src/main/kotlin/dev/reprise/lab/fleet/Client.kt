package dev.reprise.lab.fleet

import dev.reprise.virtualtime.EventQueue

/** The state that all clients of a simulation share. */
internal class Shared(val queue: EventQueue, val server: Answering, val tally: Tally)

/** One client: its engine, its line for permits, and how many calls it makes at once. */
internal class Client(
    val number: Int,
    val engine: Engine,
    private val shared: Shared,
    /** The most calls that it has in flight; one more ends at once. */
    private val mostInFlight: Int,
) {
    val permits: Permits? = engine.sendRate?.let { Permits(it, engine.noPermit, shared.queue) }
    private var inFlight = 0

    /** Begins a call of [operation]; [then] hears when it has ended, and why. */
    fun call(operation: Int, then: Caller?) {
        val now = shared.queue.now
        shared.tally.called(now, number, operation)
        if (inFlight >= mostInFlight) {
            shared.tally.ended(now, now, number, operation, isGood = false)
            then?.ended(tookTime = false)
            return
        }
        inFlight++
        Call(shared, this, operation, then).goOn()
    }

    fun callEnded() {
        inFlight--
    }
}

/** A caller that makes one call after another. */
internal fun interface Caller {
    /** Its call ended; [tookTime] is false for one that ended in the moment in which it began. */
    fun ended(tookTime: Boolean)
}
