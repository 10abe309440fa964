package dev.reprise.lab.fleet.client

/** Arrivals as they were recorded: moments in ns, in their order, and the number of the operation of each, or [ANY]. */
internal class Trace(val times: LongArray, val operations: IntArray) {
    /** The part of it that a smaller fleet has: [share] of the arrivals, spread evenly. */
    fun thinned(share: Double): Trace {
        val kept = times.indices.filter { ((it + 1) * share).toLong() > (it * share).toLong() }
        return Trace(LongArray(kept.size) { times[kept[it]] }, IntArray(kept.size) { operations[kept[it]] })
    }

    companion object {
        const val ANY = -1
    }
}
