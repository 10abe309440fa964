package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup

/**
 * The setup that calls through [retrier] share: [policyOf] of the retrier's policy, with a classifier for the SDK's
 * exceptions. Changes with the retrier's policy. Thread-safe.
 */
internal class AwsView(private val retrier: Retrier, private val policyOf: (RetryPolicy) -> RetryPolicy) {
    private class Made(val source: RetrierSetup, val setup: RetrierSetup)

    @Volatile
    private var made: Made? = null

    val setup: RetrierSetup
        get() {
            val source = retrier.setup
            val made = made
            return if (made != null && made.source === source) made.setup else make(source)
        }

    private fun make(source: RetrierSetup): RetrierSetup {
        val policy = AwsErrors.addedTo(policyOf(source.policy))
        val setup = retrier.with(policy).setup
        made = Made(source, setup)
        return setup
    }
}
