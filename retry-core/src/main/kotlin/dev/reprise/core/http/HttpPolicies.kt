package dev.reprise.core.http

import dev.reprise.core.RetryPolicy
import dev.reprise.core.classify.Classifier
import dev.reprise.core.classify.EngineErrors
import dev.reprise.core.shell.ShellApi

/**
 * Turns policies into those that an HTTP face runs: with [rules] about its engines' exceptions right before the transport's
 * errors, and the whole classifier inside what [around] makes of it. A policy that does not retry the transport's errors gets
 * no rules. So it does not matter whether the face made the policy or a retrier of the user's brought it. What a policy leaves
 * out of [RetryPolicy.HTTP] stays out; a warning says so once.
 *
 * Keeps the last one that it made, since mostly there is one. Thread-safe.
 */
@ShellApi
public class HttpPolicies @JvmOverloads constructor(
    private val rules: Classifier,
    private val errorBodyBytes: Int,
    private val around: (Classifier) -> Classifier = { it },
) {
    @Volatile
    private var last: HttpPolicy? = null

    /** What the face makes of [policy]. */
    public fun of(policy: RetryPolicy): HttpPolicy {
        last?.let { if (it.asked === policy) return it }
        LeftOut.tell(policy)
        val known = around(EngineErrors.addedTo(policy.classifier, rules))
        val made = if (known === policy.classifier) policy else policy.with { classifier = known }
        return HttpPolicy(policy, made, BodyPeek.of(known, errorBodyBytes)).also { last = it }
    }
}

/** A policy as an HTTP face runs it. Immutable. */
@ShellApi
public class HttpPolicy internal constructor(
    internal val asked: RetryPolicy,
    /** The policy; the very one that was asked for if there was nothing to add. */
    public val policy: RetryPolicy,
    /** What it reads of bodies. */
    public val peek: BodyPeek,
) {
    override fun toString(): String = "$policy reading $peek"
}
