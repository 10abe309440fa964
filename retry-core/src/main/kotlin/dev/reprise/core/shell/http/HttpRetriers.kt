package dev.reprise.core.shell.http

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.ShellApi

/**
 * Turns retriers of the type [R], the face's own and the user's, into the retriers that an HTTP face runs. Each is
 * converted once, and again after its policy was replaced; at most [MOST] are kept. Thread-safe.
 */
@ShellApi
public class HttpRetriers<R : Any>(
    private val policies: HttpPolicies,
    private val policyOf: (R) -> RetryPolicy,
    private val with: (R, RetryPolicy) -> R,
) {
    private inner class Slot(private val brought: R) {
        @Volatile
        private var last: HttpRetrier<R>? = null

        fun ready(): HttpRetrier<R> {
            val asked = policyOf(brought)
            last?.let { if (it.asked === asked) return it }
            val http = policies.of(asked)
            val retrier = if (http.policy === asked) brought else with(brought, http.policy)
            return HttpRetrier(asked, retrier, http).also { last = it }
        }
    }

    private val slots = RetrierCache<R, Slot>(MOST) { Slot(it) }

    /** Returns [brought] as the face runs it. Shares quota, send rate and listeners with it. */
    public fun of(brought: R): HttpRetrier<R> = slots[brought].ready()

    /** The same under the [policy] that one request brings. [lend] makes a retrier of that policy with all that another has. */
    public fun of(brought: R, policy: RetryPolicy, lend: (R, RetryPolicy) -> R): HttpRetrier<R> {
        val http = policies.of(policy)
        return HttpRetrier(policy, lend(brought, http.policy), http)
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

/** A retrier as an HTTP face runs it. */
@ShellApi
public class HttpRetrier<R : Any> internal constructor(
    internal val asked: RetryPolicy,
    /** The retrier; the very one that was brought if there was nothing to add to its policy. */
    public val retrier: R,
    private val http: HttpPolicy,
) {
    /** The policy of calls that begin now. */
    public val policy: RetryPolicy get() = http.policy

    /** The parts of bodies to read under that policy. */
    public val peek: BodyPeek get() = http.peek

    override fun toString(): String = "$retrier"
}
