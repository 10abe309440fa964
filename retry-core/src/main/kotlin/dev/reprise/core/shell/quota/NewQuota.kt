@file:JvmName("Quotas")

package dev.reprise.core.shell.quota

import dev.reprise.core.NanoClock
import dev.reprise.core.QuotaSettings
import dev.reprise.core.RatioQuotaSettings
import dev.reprise.core.SteadyQuotaSettings
import dev.reprise.core.TokenBucketSettings

/**
 * Returns a new quota of these settings with the [share] of its tokens, from 0 to 1, rounded down. It reads [clock] only if
 * the settings speak of time, and only after failures.
 */
@JvmOverloads
public fun QuotaSettings.newQuota(clock: NanoClock, share: Double = 1.0): Quota = when (this) {
    is TokenBucketSettings -> RetryQuota(capacity, (capacity * share).toInt())
    is SteadyQuotaSettings -> SteadyQuota(this, clock, share)
    is RatioQuotaSettings -> RatioQuota(this, clock, share)
}
