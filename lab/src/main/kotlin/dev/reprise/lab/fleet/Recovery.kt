package dev.reprise.lab.fleet

/** When a fleet was served as before, and stayed so. */
internal object Recovery {
    /** How many seconds make a window. */
    const val WINDOW = 5

    /** The part of the former throughput that must be served again. */
    const val ENOUGH = 0.95

    /**
     * Seconds from the failure's end until the fleet is served as before, and stays so until the last of the [seconds]; `null`
     * for never. The failure lasts [from] one moment [to] another, in seconds.
     *
     * Served is the share of the calls that began in a window and ended well, and it is good from [ENOUGH] times what it was
     * before the failure. One good window proves nothing: a fleet may be served for a moment and fall back, so the windows
     * are looked at from the end. A window without calls is neither good nor bad.
     */
    fun of(seconds: List<Second>, from: Double, to: Double): Double? {
        val before = seconds.filter { it.at + 1 <= from }
        val usual = if (before.sumOf { it.calls } == 0) 1.0 else served(before)
        val first = Math.ceil(to).toInt()
        val last = seconds.size - WINDOW
        if (first > last) return null
        var since: Int? = null
        for (start in last downTo first) {
            val window = seconds.subList(start, start + WINDOW)
            if (window.sumOf { it.calls } > 0 && served(window) < ENOUGH * usual) break
            since = start
        }
        return since?.let { (it - to).coerceAtLeast(0.0) }
    }

    private fun served(window: List<Second>) = window.sumOf { it.good }.toDouble() / window.sumOf { it.calls }
}
