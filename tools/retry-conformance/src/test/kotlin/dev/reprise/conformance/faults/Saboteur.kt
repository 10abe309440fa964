package dev.reprise.conformance.faults

import java.util.concurrent.CancellationException
import java.util.concurrent.RejectedExecutionException

/** Where code of others stands around a call. */
enum class Site {
    BLOCK,
    CLASSIFIER,
    BACKOFF,
    DRAWS,
    LISTENER,
    DISCARD,
    EXECUTOR,
    WAITER,
    TIMER,
    TIMER_CANCEL,
    STAGE_CANCEL,
    STAGE_NULL,
    CLOCK,
    QUOTA,
}

/** What a piece of foreign code throws. */
enum class Foreign(val make: () -> Throwable) {
    EXCEPTION({ IllegalStateException("foreign") }),
    ERROR({ AssertionError("foreign") }),
    REJECTION({ RejectedExecutionException("foreign") }),
    CANCELLATION({ CancellationException("foreign") }),
}

/**
 * Stands in all foreign code of one call. It throws at one use of one [site], and cancels the call at one use of any; and
 * it counts. Thread-safe: an executor that rejects sends the call to the common pool.
 */
class Saboteur(
    private val site: Site?,
    private val at: Int,
    private val foreign: Foreign,
    private val cancelAt: Int,
    private val swapAt: Int,
) {
    private var uses = 0
    private var usesOfSite = 0

    /** Ends the call from outside. */
    @Volatile
    var cancel: () -> Unit = {}

    /** Gives the retrier another policy, in the middle of the call. */
    @Volatile
    var swap: () -> Unit = {}

    @Volatile
    var hasThrown = false
        private set

    @Volatile
    var hasCancelled = false
        private set

    /** Foreign code at [here] is used. */
    fun use(here: Site) {
        val throws: Boolean
        val use: Int
        synchronized(this) {
            use = ++uses
            throws = here == site && ++usesOfSite == at
        }
        if (use == swapAt) swap()
        if (use == cancelAt) cancelNow()
        if (!throws) return
        hasThrown = true
        throw foreign.make()
    }

    fun cancelNow() {
        hasCancelled = true
        cancel()
    }

    override fun toString(): String = (if (site == null) "no fault" else "$foreign at use $at of $site") +
        (if (cancelAt > 0) ", cancelled at use $cancelAt" else "") +
        if (swapAt > 0) ", another policy at use $swapAt" else ""
}
