package dev.reprise.coroutines

import dev.reprise.core.RetryPolicy
import java.util.concurrent.atomic.AtomicReferenceArray

/** Retriers that share nothing, for calls that stand alone: a few are kept, so that making one costs nothing in a loop. */
internal object StandaloneRetriers {
    private const val KEPT = 16
    val standard: Retrier = lone(RetryPolicy.STANDARD)
    private val kept = AtomicReferenceArray<Retrier>(KEPT)

    fun of(policy: RetryPolicy): Retrier {
        if (policy === RetryPolicy.STANDARD) return standard
        // A policy with a send rate would share it with the next call of the same policy.
        if (policy.sendRate != null) return lone(policy)
        val slot = System.identityHashCode(policy) % KEPT
        val known = kept[slot]
        if (known != null && known.policy === policy) return known
        return lone(policy).also { kept[slot] = it }
    }

    private fun lone(policy: RetryPolicy) = Retrier(policy) { quota = null }
}
