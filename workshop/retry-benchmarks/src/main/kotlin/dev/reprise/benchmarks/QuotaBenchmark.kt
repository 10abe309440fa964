package dev.reprise.benchmarks

import dev.reprise.core.quota.SteadyQuotaSettings
import dev.reprise.core.quota.TokenBucketSettings
import dev.reprise.core.rate.RateOutcome
import dev.reprise.core.rate.SendRate
import dev.reprise.core.rate.SendRateSettings
import dev.reprise.core.time.NanoClock
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.State

/**
 * The cost of a success for the full quota and the send rate that a client's calls share, without the loop around it.
 */
open class QuotaBenchmark {
    @Benchmark
    fun exactQuota(quotas: Quotas): Int = quotas.exact.succeeded(1, null)

    @Benchmark
    fun steadyQuota(quotas: Quotas): Int = quotas.steady.succeeded(2, null)

    @Benchmark
    fun steadyQuotaOperation(quotas: Quotas): Int = quotas.steady.succeeded(2, "get")

    @Benchmark
    fun exactRate(rates: Rates): Boolean = rates.exact.permitAndAnswer()

    @Benchmark
    fun steadyRate(rates: Rates): Boolean = rates.steady.permitAndAnswer()

    private fun SendRate.permitAndAnswer(): Boolean {
        val now = System.nanoTime()
        val isThere = tryTake(now)
        record(RateOutcome.ACCEPTED, now, now)
        return isThere
    }

    /** Full quotas. */
    @State(Scope.Benchmark)
    open class Quotas {
        private val clock = NanoClock { System.nanoTime() }
        val exact = TokenBucketSettings.STANDARD.open(clock)
        val steady = SteadyQuotaSettings.DEFAULT.open(clock)
    }

    /** Limiters that were throttled once, and let more through than any benchmark sends. */
    @State(Scope.Benchmark)
    open class Rates {
        val exact = limited(SendRateSettings.EXACT)
        val steady = limited(SendRateSettings.STEADY)

        private fun limited(settings: SendRateSettings): SendRate {
            val now = System.nanoTime()
            val fast = settings.with {
                minFillRate = FAST
                minCapacity = FAST
            }
            val rate = SendRate(fast, now)
            rate.record(RateOutcome.THROTTLED, now, now)
            return rate
        }
    }

    private companion object {
        /** Permits a second. */
        const val FAST = 1e9
    }
}
