package dev.reprise.core.shell.rate

import dev.reprise.core.ServerHints
import dev.reprise.core.shell.time.SECOND
import kotlin.math.min

/** A limit that the server announced: [rate] attempts a second until [until], in nanoseconds since the state's origin. */
internal class ServerLimit(val rate: Double, val until: Long, private val isExact: Boolean) {
    /** The rate in force where throttles have taught [learnt]. */
    fun over(learnt: Double): Double = if (isExact) rate else min(rate, learnt)

    companion object {
        /** An announced limit holds for a minute at most; then the server is asked again. */
        private const val LONGEST_SECONDS = 60L

        /** A limiter that is off must have room for twice the measured rate at once. */
        private const val ROOM = 2.0

        /**
         * The limit that [hint] announces at [now] to a client that measures [measured] answers a second; null if there
         * is none: the hint must not be used, or it leaves more than a client that is not [limited] will ask for.
         */
        fun of(hint: RateHint, use: ServerHints, measured: Double, limited: Boolean, now: Long): ServerLimit? {
            if (use == ServerHints.OFF || hint.seconds == 0L) return null
            val seconds = min(hint.seconds, LONGEST_SECONDS)
            val rate = hint.remaining.toDouble() / seconds
            if (!limited && rate > ROOM * measured) return null
            return ServerLimit(rate, now + seconds * SECOND, use == ServerHints.FOLLOW)
        }
    }
}
