package dev.reprise.lab.stability

import kotlin.math.ceil
import kotlin.math.min

/**
 * The border of a policy with free retries, computed. A server with a long queue is back after it has lost all requests for
 * [outage] seconds; calls make up to [attempts] attempts, each of [timeout] seconds, with waits between them that are short
 * against that.
 *
 * ```
 * attempts that arrive, of each call, t after the end:   1 + #{k in 1..attempts-1 : t < k timeout < t + outage}
 * their sum up to t:                                     G(t)
 * queue, in seconds of work:                             load G(t) - t
 * ```
 *
 * A new call fails from when the queue is longer than its timeout; then all calls make all their attempts, and that keeps
 * itself up if `load attempts >= 1`. So the border is the smaller of the loads at which the queue gets there, and no less than
 * one attempt's share.
 */
internal fun freeRetriesBorder(attempts: Int, timeout: Double, outage: Double): Double {
    val end = attempts * timeout
    val steps = ceil(end / timeout * STEPS_OF_TIMEOUT).toInt()
    var sum = 0.0
    var border = Double.POSITIVE_INFINITY
    for (step in 0 until steps) {
        val at = timeout * (step + 0.5) / STEPS_OF_TIMEOUT
        val retries = (1 until attempts).count { at < it * timeout && it * timeout < at + outage }
        sum += (1 + retries) * timeout / STEPS_OF_TIMEOUT
        border = min(border, (timeout * (step + 1.0) / STEPS_OF_TIMEOUT + timeout) / sum)
    }
    return maxOf(border, 1.0 / attempts)
}

private const val STEPS_OF_TIMEOUT = 100
