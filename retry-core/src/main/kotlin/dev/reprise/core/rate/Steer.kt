package dev.reprise.core.rate

import kotlin.math.min

/** A server's word in force: [rate] attempts a second until [until], in nanoseconds since the state's origin. */
internal class Steer(val rate: Double, val until: Long, private val isExact: Boolean) {
    /** The rate in place of one that throttles have taught; [learnt] is infinite where there was none. */
    fun over(learnt: Double): Double = if (isExact) rate else min(rate, learnt)

    companion object {
        /** A server's word steers for a minute at most: then it is asked again, whatever it said. */
        private const val LONGEST_SECONDS = 60L

        /** Twice the measured rate is what a limiter that is off has to be able to do at once. */
        private const val ROOM = 2.0

        /**
         * What [hint] says at [now] to a client that measures [measured] answers a second; null if that is nothing:
         * the hint is not to be used, or more is left than a client that is not [limited] will ask for.
         */
        fun of(hint: RateHint, use: ServerHints, measured: Double, limited: Boolean, now: Long): Steer? {
            if (use == ServerHints.OFF || hint.seconds == 0L) return null
            val seconds = min(hint.seconds, LONGEST_SECONDS)
            val rate = hint.remaining.toDouble() / seconds
            if (!limited && rate > ROOM * measured) return null
            return Steer(rate, now + seconds * NANOS_PER_SECOND, use == ServerHints.FOLLOW)
        }
    }
}
