package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.sdk.Preset

/** Where a service's policy comes from. */
internal class PolicySource(
    /** The policy of a service that has none of its own, and of one that is not known. */
    val base: RetryPolicy,
    private val services: Set<String>,
    private val of: (service: String) -> RetryPolicy,
) {
    /** Whether any service has a policy of its own. */
    val dependsOnService: Boolean get() = services.isNotEmpty()

    /** The policy of [service], as the SDK calls it. */
    fun policy(service: String?): RetryPolicy =
        if (service != null && service.lowercase() in services) of(service) else base

    /** This source with [change] made to all of its policies; [base] has become [changed]. */
    fun with(changed: RetryPolicy, change: (RetryPolicy) -> RetryPolicy) =
        PolicySource(changed, services) { change(of(it)) }

    companion object {
        /** [policy] for every service. */
        fun of(policy: RetryPolicy) = PolicySource(policy, emptySet()) { policy }

        /** The policies of [preset], each with [change] made to it. */
        fun of(preset: Preset, change: (RetryPolicy, service: String?) -> RetryPolicy = { it, _ -> it }) =
            PolicySource(change(preset.policy(), null), preset.services) { change(preset.policy(it), it) }
    }
}
