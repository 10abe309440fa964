package dev.reprise.core.shell.rate

/** No time: something has not happened. */
internal const val NEVER: Long = Long.MAX_VALUE

/** A server that throttles: from the cut until it accepts a request that was sent after the cut. */
internal class ThrottleEvent(
    /** When the first such request was sent; [NEVER] while there is none. */
    val overAt: Long = NEVER,
    /** How many requests that were sent after the cut were refused. */
    val refused: Int = 0,
    /** Whether the cut was made because the server accepted nothing since the one before. */
    val isBlind: Boolean = false,
) {
    val isOver: Boolean get() = overAt != NEVER

    fun refusedOnce() = ThrottleEvent(overAt, refused + 1, isBlind)

    fun over(at: Long) = ThrottleEvent(at, refused, isBlind = false)

    fun later(by: Long) = if (isOver) ThrottleEvent(overAt + by, refused, isBlind) else this
}
