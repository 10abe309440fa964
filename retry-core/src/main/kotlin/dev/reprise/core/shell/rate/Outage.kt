package dev.reprise.core.shell.rate

import kotlin.math.max
import kotlin.math.min
import kotlin.math.pow

/** An outage of throttles: the server has refused everything since [since]. Before that it was asked [lost] times a second. */
internal class Outage(private val lost: Double, private val since: Long) {
    /** Whether more than once a second is known to have been borne. */
    val isOfFast: Boolean get() = lost * SHARE_AT_ONCE > 1

    /** The rate that the first accepted answer allows at once, at [now]; three doublings find the rest. */
    fun back(now: Long): Double = max(1.0, lost * SHARE_AT_ONCE) * belief(now)

    /**
     * The least rate at [now]: once a second, so that the end is noticed soon; a client that has never been faster than ten a
     * second asks less.
     */
    fun leastRate(now: Long): Double = min(1.0, lost * SHARE_TO_ASK) * belief(now)

    fun later(by: Long) = Outage(lost, since + by)

    /**
     * Both halve each minute after the first. The cause may be a slow server instead of an outage: a server that counts
     * refused requests accepts nothing until it gets fewer. (Without: a counting window of 0.5/s that was fast before
     * is never found: 0.00 of it, with this 0.88.)
     */
    private fun belief(now: Long) = 0.5.pow(max(0.0, secondsOf(now - since) / SECONDS_IN_A_MINUTE - 1))
}

private const val SECONDS_IN_A_MINUTE = 60
private const val SHARE_AT_ONCE = 0.125
private const val SHARE_TO_ASK = 0.1
