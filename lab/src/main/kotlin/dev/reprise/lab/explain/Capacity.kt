package dev.reprise.lab.explain

import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.lab.fleet.nanosOf

/** The tokens of a full quota, for a client of some calls a second; from the real quota, after that traffic. */
internal class Capacity private constructor(
    val callsPerSecond: Double,
    val tokens: Int,
    /** How many of them the calls of one operation can spend. */
    val ofOperation: Int,
) {
    companion object {
        private val RATES = listOf(0.1, 1.0, 10.0, 100.0)
        private const val MOST_CALLS = 1_000_000.0

        /** For clients of several sizes; empty where [settings] have the same capacity for all of them. */
        fun of(settings: QuotaSettings?): List<Capacity> {
            val seconds = when (settings) {
                null, is TokenBucketSettings -> return emptyList()
                is SteadyQuotaSettings -> settings.seconds
                is RatioQuotaSettings -> settings.windowSeconds.toDouble()
            }
            return RATES.map { of(settings, it, seconds) }
        }

        private fun of(settings: QuotaSettings, rate: Double, seconds: Double): Capacity {
            var now = 0L
            val quota = settings.newQuota({ now })
            repeat((rate * seconds * 2).coerceAtMost(MOST_CALLS).toInt()) {
                now += nanosOf(1 / rate)
                quota.succeeded(settings.firstTryRefund, null)
            }
            // A quota that follows traffic looks at it when a retry is asked for.
            val isTaken = quota.tryTake(settings.cost, "one")
            val taken = if (isTaken) settings.cost else 0
            return Capacity(rate, quota.capacity, quota.available("one") + taken)
        }
    }
}
