package dev.reprise.benchmarks

import dev.reprise.core.NanoClock
import dev.reprise.core.SendRateSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings
import dev.reprise.core.shell.quota.newQuota
import dev.reprise.core.shell.rate.RateOutcome
import dev.reprise.core.shell.rate.SendRate
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
        val exact = TokenBucketSettings.STANDARD.newQuota(clock)
        val steady = SteadyQuotaSettings.DEFAULT.newQuota(clock)
    }

    /** Limiters that were throttled once, and let more through than any benchmark sends. */
    @State(Scope.Benchmark)
    open class Rates {
        val exact = limited(SendRateSettings.EXACT)
        val steady = limited(SendRateSettings.STEADY)

        private fun limited(settings: SendRateSettings): SendRate {
            val now = System.nanoTime()
            val fast = settings.with {
                minFillRate(FAST)
                minCapacity(FAST)
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
