package dev.reprise.coroutines

import dev.reprise.core.RetrierCache
import dev.reprise.core.hedge.Hedge
import dev.reprise.core.rate.SendRate

/**
 * What calls that bring policies of their own share, where the setup [of] their retrier lacks it: a quota, a send rate, and for
 * each of the hedges that came last what it has learnt and its budget. Made for the first of them. Thread-safe.
 */
internal class Spare(val of: RetrierSetup) {
    private var quota: OwnQuota? = null
    private var rate: SendRate? = null
    private val hedged = RetrierCache(MOST) { hedge: Hedge -> of.hedged(hedge) }

    @Synchronized
    fun quota(open: () -> OwnQuota): OwnQuota = quota ?: open().also { quota = it }

    @Synchronized
    fun rate(open: () -> SendRate): SendRate = rate ?: open().also { rate = it }

    /** The setup whose copies a call with [hedge] shares. */
    fun hedged(hedge: Hedge): RetrierSetup = hedged[hedge]

    private companion object {
        const val MOST = 16
    }
}
