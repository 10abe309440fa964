package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup

/**
 * The setup that calls through [retrier] share: [policyOf] of the retrier's policy, with a classifier for the SDK's
 * exceptions, and with the listeners of [strategy]. Changes with the policies of both. Thread-safe.
 */
internal class AwsView(
    private val retrier: Retrier,
    private val strategy: Retrier = retrier,
    private val policyOf: (RetryPolicy) -> RetryPolicy,
) {
    private class Made(val source: RetrierSetup, val strategy: RetrierSetup, val setup: RetrierSetup)

    @Volatile
    private var made: Made? = null

    val setup: RetrierSetup
        get() {
            val source = retrier.setup
            val strategy = strategy.setup
            val made = made?.takeIf { it.source === source && it.strategy === strategy }
            return made?.setup ?: make(source, strategy)
        }

    private fun make(source: RetrierSetup, strategy: RetrierSetup): RetrierSetup {
        // The retrier's own quota and send rate, whatever policy the strategy has now.
        val view = retrier.lend(AwsErrors.addedTo(policyOf(source.policy)))
        // A listener of both hears each event once.
        val added = strategy.listeners - source.listeners.toSet()
        val setup = added.fold(view) { next, listener -> next.with(listener) }.setup
        made = Made(source, strategy, setup)
        return setup
    }
}
