@file:OptIn(ShellApi::class)

package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup

/**
 * What calls through [retrier] share, under the policy that [policyOf] makes of the retrier's and with a classifier for the
 * SDK's exceptions. Follows when the retrier's policy is replaced. Thread-safe.
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
