package dev.reprise.core.shell.call

import dev.reprise.core.shell.time.saturatingAdd

/** The parts of a call that most calls have no need of: a call that waits after its first failure has none. */
internal class CallHistory(val events: CallEvents?) {
    /** The attempt that began last, of a call that is timed. */
    var attempt: WatchedAttempt? = null

    /** The race of the first attempt, of a call that may send a copy. */
    var race: HedgeRace? = null

    /** How much longer the call waits for a shared quota to pay, in ns, and how long it has waited for it in all. */
    var longerNanos = 0L
        private set
    var paymentNanos = 0L
        private set

    fun waitsOn(nanos: Long) {
        longerNanos = nanos
        paymentNanos = saturatingAdd(paymentNanos, nanos)
    }
}
