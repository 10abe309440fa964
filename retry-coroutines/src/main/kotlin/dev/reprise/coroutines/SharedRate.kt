package dev.reprise.coroutines

import dev.reprise.core.NanoClock
import dev.reprise.core.RetryPolicy
import dev.reprise.core.rate.SendRate

/** The send rate and its line that a retrier and all retriers derived from it share; made when a policy first asks. */
internal class SharedRate(private var rate: SendRate?, val clock: NanoClock, private val waiter: Waiter) {
    /** The line, which is there once [rateFor] has answered a rate. */
    @Volatile
    var line: SendRateLine? = rate?.let { SendRateLine(it, clock, waiter) }
        private set

    /** The send rate under the settings of [policy], or `null` if it has none. */
    @Synchronized
    fun rateFor(policy: RetryPolicy): SendRate? {
        val settings = policy.sendRate ?: return null
        val shared = rate
        if (shared != null) {
            if (shared.state.settings != settings) shared.update(settings)
            return shared
        }
        val made = SendRate(settings, clock.nanoTime())
        rate = made
        line = SendRateLine(made, clock, waiter)
        return made
    }
}
