package dev.reprise.conformance.faults

import java.util.concurrent.CancellationException
import java.util.concurrent.ConcurrentHashMap
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

    /** The question which executor the work has. */
    OWN_EXECUTOR,

    /** Any other question to the work: may it repeat, may it run twice, does it release before a wait. */
    QUESTION,
    WAITER,
    TIMER,
    TIMER_CANCEL,
    STAGE_CANCEL,
    STAGE_NULL,
    CLOCK,
    QUOTA,
    DEPENDENT,
    ;

    /** Whether it is code that may take long, and so must not run on the one timer thread that all retriers share. */
    val mayTakeLong
        get() = when (this) {
            BLOCK, CLASSIFIER, BACKOFF, DRAWS, LISTENER, DISCARD, QUESTION, STAGE_CANCEL, QUOTA, DEPENDENT -> true
            EXECUTOR, OWN_EXECUTOR, WAITER, TIMER, TIMER_CANCEL, STAGE_NULL, CLOCK -> false
        }
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
    private val timerThread = ThreadLocal.withInitial { false }
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

    /** Users' code that a timer ran itself. */
    val ranOnTimer: MutableSet<Site> = ConcurrentHashMap.newKeySet()

    /** Runs [task] as the timer thread does. */
    fun onTimer(task: Runnable) {
        timerThread.set(true)
        try {
            task.run()
        } finally {
            timerThread.set(false)
        }
    }

    /** Foreign code at [here] is used. */
    fun use(here: Site) {
        if (here.mayTakeLong && timerThread.get()) ranOnTimer += here
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

    /** Ends the call on this thread. Where that is a timer's, foreign code there has chosen to: what follows is its doing. */
    fun cancelNow() {
        hasCancelled = true
        val wasTimer = timerThread.get()
        timerThread.set(false)
        cancel()
        timerThread.set(wasTimer)
    }

    override fun toString(): String = (if (site == null) "no fault" else "$foreign at use $at of $site") +
        (if (cancelAt > 0) ", cancelled at use $cancelAt" else "") +
        if (swapAt > 0) ", another policy at use $swapAt" else ""
}
