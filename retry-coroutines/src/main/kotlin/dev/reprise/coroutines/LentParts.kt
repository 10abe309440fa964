package dev.reprise.coroutines

import dev.reprise.core.Hedge
import dev.reprise.core.RetrierCache
import dev.reprise.core.shell.rate.SendRate

/**
 * Calls that bring policies of their own share these parts, where the setup [of] their retrier lacks them: a quota, a send
 * rate, and the budgets and learnt delays of the hedges that came last. Made for the first such call. Thread-safe.
 */
internal class LentParts(private val of: RetrierSetup) {
    @Volatile
    var quota: OwnQuota? = null
        private set

    @Volatile
    var rate: SendRate? = null
        private set
    private val hedged = RetrierCache(MOST) { hedge: Hedge -> of.hedged(hedge) }

    @Synchronized
    fun quota(open: () -> OwnQuota): OwnQuota = quota ?: open().also { quota = it }

    @Synchronized
    fun rate(open: () -> SendRate): SendRate = rate ?: open().also { rate = it }

    /** The setup whose copies a call with [hedge] shares. */
    fun hedged(hedge: Hedge): RetrierSetup = hedged[hedge]
}

private const val MOST = 16
