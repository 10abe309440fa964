package dev.reprise.lab.fleet.budget

/** A sum over the last [span] ns, kept in [slices]: what is older than that is forgotten, a slice at a time. */
internal class Window(span: Long, private val slices: Int, private val clock: () -> Long) {
    private val slice = span / slices
    private val sums = DoubleArray(slices)
    private var newest = 0L

    /** The sum at this moment. */
    val sum: Double
        get() {
            forget()
            return sums.sum()
        }

    /** Adds [amount] now. */
    fun add(amount: Double) {
        forget()
        sums[(newest % slices).toInt()] += amount
    }

    private fun forget() {
        val now = clock() / slice
        repeat(minOf(now - newest, slices.toLong()).toInt()) { sums[((newest + 1 + it) % slices).toInt()] = 0.0 }
        newest = maxOf(newest, now)
    }
}
