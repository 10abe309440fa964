package dev.reprise.aws.java

import dev.reprise.core.RetryPolicy
import dev.reprise.presets.sdk.Preset
import java.util.concurrent.ConcurrentHashMap

/** Where a service's policy comes from. Thread-safe. */
internal class PolicySource private constructor(
    /** The policy of a service that has none of its own, and of one that is not known. */
    val base: RetryPolicy,
    private val preset: Preset?,
    private val of: (variant: String) -> RetryPolicy,
) {
    /** By the services' names as the SDK and the user write them. */
    private val found = ConcurrentHashMap<String, RetryPolicy>()

    /** Whether any service has a policy of its own. */
    val dependsOnService: Boolean get() = !preset?.services.isNullOrEmpty()

    /** The policy of [service], however its name is written. */
    fun policy(service: String?): RetryPolicy {
        if (service == null || preset == null) return base
        return found[service] ?: found.computeIfAbsent(service) { name -> preset.variantOf(name)?.let(of) ?: base }
    }

    /**
     * Checks a [service] that a user names. A client's name is never wrong.
     *
     * @throws IllegalArgumentException if it is no name, or misspells one that has a policy of its own
     */
    fun check(service: String): Any? = preset?.policy(service)

    /** This source with [change] made to all of its policies; [base] has become [changed]. */
    fun with(changed: RetryPolicy, change: (RetryPolicy) -> RetryPolicy) =
        PolicySource(changed, preset) { change(of(it)) }

    companion object {
        /** [policy] for every service. */
        fun of(policy: RetryPolicy) = PolicySource(policy, null) { policy }

        /** [base], and for the services that [preset] knows the policies that [of] returns. */
        fun of(preset: Preset, base: RetryPolicy = preset.policy(), of: (String) -> RetryPolicy = preset::policy) =
            PolicySource(base, preset, of)
    }
}
