package dev.reprise.core.shell.http

import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi

/**
 * Turns policies into the policies that an HTTP face runs. Adds [rules] about its engines' exceptions right before the
 * transport's errors, and wraps the whole classifier by [around]. A policy that does not retry the transport's errors
 * gets no rules. Policies of the face and of a user's retrier are treated alike. Rules that a policy leaves out of
 * [RetryPolicy.HTTP] stay out; a warning says so once.
 *
 * Caches the last result, since mostly there is one policy. Thread-safe.
 */
@ShellApi
public class HttpPolicies @JvmOverloads constructor(
    private val rules: Classifier,
    private val errorBodyBytes: Int,
    private val around: (Classifier) -> Classifier = { it },
) {
    @Volatile
    private var last: HttpPolicy? = null

    /** Returns [policy] as the face runs it. */
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
    /** The parts of bodies to read. */
    public val peek: BodyPeek,
) {
    override fun toString(): String = "$policy reading $peek"
}
