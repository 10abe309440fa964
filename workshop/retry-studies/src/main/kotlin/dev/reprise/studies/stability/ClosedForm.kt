package dev.reprise.studies.stability

import kotlin.math.min

/**
 * The border of a policy with free retries, computed. A server with a long queue is back after it has lost all requests
 * for [outage] seconds. Calls make up to [attempts] attempts, each of [timeout] seconds, with waits between them that
 * are short against that.
 *
 * Each call in flight at the end makes its next attempt within one timeout, and that one is served if the queue is
 * shorter than a timeout by then. So that first timeout decides:
 *
 * ```
 * attempts that arrive at t, for each new call:   1 + #{k in 1..attempts-1 : k timeout < t + outage}
 * their sum up to t:                              G(t), at most attempts x t
 * queue, in seconds of work:                      load G(t) - t
 * ```
 *
 * If the queue gets longer than a timeout, new calls fail too. Then every call makes all of its attempts, which
 * sustains itself if `load attempts >= 1`. After a long outage this is `2 / attempts`. A fleet that barely reaches the
 * border still comes back, since few calls fail at first: a simulation's border is a few percent above.
 */
internal fun freeRetriesBorder(attempts: Int, timeout: Double, outage: Double): Double {
    val step = timeout / STEPS
    var sum = 0.0
    var border = Double.POSITIVE_INFINITY
    for (i in 0 until STEPS) {
        val retries = (1 until attempts).count { it * timeout < (i + 0.5) * step + outage }
        sum += (1 + retries) * step
        border = min(border, ((i + 1) * step + timeout) / sum)
    }
    return maxOf(border, 1.0 / attempts)
}

private const val STEPS = 100
