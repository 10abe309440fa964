package dev.reprise.core.shell.rate

import kotlin.math.max
import kotlin.math.pow

/**
 * A rate that doubles from [rate] at [from] on. Its limit from measurement is never below [least]. After an [outage] of
 * throttles it leads back.
 *
 * It advances with the send times of the accepted requests instead of the clock: the server is known to bear the rate
 * of those times. So it keeps pace with the round trip by itself. (By the clock: throttled up to 66 points more.)
 */
internal class Search(val from: Long, val rate: Double, val outage: Outage? = null, val least: Double = 0.0) {
    /** The rate once a request of [sentAt] was accepted, where the rate was [before]; an answer that took long takes nothing back. */
    fun rateAfter(sentAt: Long, before: Double): Double =
        max(rate * 2.0.pow(secondsOf(max(0, sentAt - from)) / DOUBLING_SECONDS), before)

    /** This search from the [limit] on that measurement allows, if the rate after [sentAt] is far beyond that; else this one. */
    fun within(limit: Double, sentAt: Long, before: Double): Search =
        if (rateAfter(sentAt, before) > FAR_BEYOND * limit) Search(max(from, sentAt), limit, outage, least) else this

    fun later(by: Long) = Search(from + by, rate, outage?.later(by), least)
}

/** TCP's slow start doubles in a round trip (RFC 5681). */
private const val DOUBLING_SECONDS = 0.5

/**
 * A search this many times faster than the measured rate begins again from there. (Without: a counting
 * window of 10/s with answers after a second serves 0.09 less.)
 */
private const val FAR_BEYOND = 2.0
