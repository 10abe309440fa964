package dev.reprise.coroutines

import dev.reprise.core.NanoClock
import dev.reprise.core.QuotaSettings
import dev.reprise.core.shell.quota.Quota
import dev.reprise.core.shell.quota.newQuota

/**
 * The quota of a retrier. It survives changes of the policy: it has the type that the last policy with a quota named,
 * and a policy without one sets it aside. Immutable.
 */
internal class OwnQuota private constructor(
    /** The quota; `null` if retries are free, or no policy had a quota yet. */
    val quota: Quota?,
    /** The settings that say what its tokens are worth; `null` if no policy had any yet. */
    val settings: QuotaSettings?,
    /** The share of its tokens that it was opened with. */
    private val opened: Double,
    private val isFree: Boolean,
) {
    /** The [quota] that a user gave to a retrier with [settings]; `null` makes its retries free for good. */
    constructor(quota: Quota?, settings: QuotaSettings?) : this(quota, settings, opened = 1.0, isFree = quota == null)

    /** A new, full quota for [settings]; none if there are none. */
    constructor(settings: QuotaSettings?, clock: NanoClock) :
        this(settings?.newQuota(clock), settings, opened = 1.0, isFree = false)

    /** The share of its tokens that is left, from 0 to 1. */
    private val share: Double
        get() {
            val capacity = quota?.capacity ?: return opened
            return if (capacity > 0) (quota.available.toDouble() / capacity).coerceIn(0.0, 1.0) else opened
        }

    /**
     * The quota of the same retrier under [settings], or under none: this one, unless they are of another type; its tokens are
     * worth what the last settings say. A quota of another type begins with the share that is left of this one, so that a change of policy never fills a quota.
     */
    fun under(settings: QuotaSettings?, clock: NanoClock): OwnQuota = when {
        isFree || settings == null || settings == this.settings -> this
        isOfTypeOf(settings) || (quota != null && this.settings == null) -> OwnQuota(quota, settings, opened, isFree)
        else -> share.let { OwnQuota(settings.newQuota(clock, it), settings, it, isFree) }
    }

    /** Whether there is nothing to open for a policy with a quota. */
    val isThere: Boolean get() = quota != null || isFree

    /** Whether a token is worth the same under [other]: a ratio counts in hundredths of a retry. */
    fun isOfTypeOf(other: QuotaSettings): Boolean = settings?.javaClass == other.javaClass
}
