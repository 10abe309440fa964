package dev.reprise.core.shell.http

import dev.reprise.core.CallOptions
import dev.reprise.core.Classifier
import dev.reprise.core.EngineErrors
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi

/**
 * Turns retriers of the type [R], the face's own and the user's alike, into the retriers that an HTTP face runs. Adds [rules]
 * about its engines' exceptions right before the transport's errors of their policy, and wraps the whole classifier by
 * [around]. A policy that does not retry the transport's errors gets no rules. Rules that a policy leaves out of
 * [RetryPolicy.HTTP] stay out; a warning says so once.
 *
 * Each retrier is converted once, and again after its policy was replaced; at most [MOST] are kept. Thread-safe.
 */
@ShellApi
public class HttpRetriers<R : Any> @JvmOverloads constructor(
    private val rules: Classifier,
    private val errorBodyBytes: Int,
    private val policyOf: (R) -> RetryPolicy,
    private val with: (R, RetryPolicy) -> R,
    private val around: (Classifier) -> Classifier = { it },
) {
    private inner class Slot(private val brought: R) {
        @Volatile
        private var last: HttpRetrier<R>? = null

        fun ready(): HttpRetrier<R> {
            val asked = policyOf(brought)
            last?.let { if (it.asked === asked) return it }
            return of(brought, asked) { _, policy -> if (policy === asked) brought else with(brought, policy) }
                .also { last = it }
        }
    }

    private val slots = RetrierCache<R, Slot>(MOST) { Slot(it) }

    /** Returns [brought] as the face runs it. Shares quota, send rate and listeners with it. */
    public fun of(brought: R): HttpRetrier<R> = slots[brought].ready()

    /** The same under the [policy] that one request brings. [lend] makes a retrier of that policy with all that another has. */
    public fun of(brought: R, policy: RetryPolicy, lend: (R, RetryPolicy) -> R): HttpRetrier<R> {
        LeftOut.tell(policy)
        val known = around(EngineErrors.addedTo(policy.classifier, rules))
        val made = if (known === policy.classifier) policy else policy.with { classifier = known }
        return HttpRetrier(policy, lend(brought, made), made, BodyPeek.of(known, errorBodyBytes))
    }

    public companion object {
        private const val MOST = 256

        /** Refuses a face's own [policy] and [listeners] beside what the user has [brought], whose retriers would not have them. */
        @JvmStatic
        @JvmOverloads
        public fun requireAlone(policy: RetryPolicy, listeners: List<RetryListener>, brought: String = "retriers") {
            require(policy === RetryPolicy.HTTP && listeners.isEmpty()) {
                "retriers bring their own policies and listeners: set either $brought, or policy and listeners"
            }
        }
    }
}

/** A retrier as an HTTP face runs it. Immutable. */
@ShellApi
public class HttpRetrier<R : Any> internal constructor(
    internal val asked: RetryPolicy,
    /** The retrier; the very one that was brought if there was nothing to add to its policy. */
    public val retrier: R,
    /** The policy of calls that begin now. */
    public val policy: RetryPolicy,
    /** The parts of bodies to read under that policy. */
    public val peek: BodyPeek,
) {
    override fun toString(): String = "$retrier"
}

/** The rules of one request, known before its first attempt. Immutable. */
@ShellApi
public class HttpCall<R : Any>(
    private val ready: HttpRetrier<R>,
    /** The options that its user asked for, of the request or of the retrier. */
    public val asked: CallOptions?,
    /** The same with whether it may be repeated. */
    public val options: CallOptions,
    /** The headers of its attempts. */
    public val headers: AttemptHeaders,
) {
    /** The retrier that makes the call. */
    public val retrier: R get() = ready.retrier

    /** The policy of the call. */
    public val policy: RetryPolicy get() = ready.policy

    /** The parts of bodies to read. */
    public val peek: BodyPeek get() = ready.peek

    /** The same, sent once. */
    public fun once(): HttpCall<R> = HttpCall(ready, asked, HttpRepeats.once(asked), headers)
}
