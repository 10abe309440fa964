package dev.reprise.spring

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.java.JavaRetrierBuilder

/**
 * Retriers by name. The names [DEFAULT] and [HTTP] are always there, with [RetryPolicy.STANDARD] and [RetryPolicy.HTTP] unless
 * they are given other policies. Every policy also understands the exceptions by which Spring's HTTP clients tell of a response,
 * see [SpringErrors]. The policies `over` lie over the others from the start, as [layOver] says.
 *
 * Safe for any number of threads.
 */
public class RetryRegistry @JvmOverloads constructor(
    policies: Map<String, RetryPolicy> = emptyMap(),
    private val configurers: List<RetryConfigurer> = emptyList(),
    over: Map<String, RetryPolicy> = emptyMap(),
) {
    @Volatile
    private var entries: Map<String, Named> = emptyMap()

    /** The policies that names have unless others are laid over them. */
    private val base = HashMap<String, Lazy<RetryPolicy>>()
    private var laidOver: Set<String> = over.keys.toSet()

    init {
        // At once, since a retrier keeps the quota that its first policy opened.
        set(addedToBase(BUILT_IN + policies) + over)
    }

    /** All names, sorted. */
    public val names: Set<String> get() = entries.keys

    /**
     * The retrier called [name].
     *
     * @throws IllegalArgumentException if there is none
     */
    public operator fun get(name: String): JavaRetrier = named(name).retrier

    /**
     * The retrier called [name], for Kotlin.
     *
     * @throws IllegalArgumentException if there is none
     */
    public fun retrier(name: String): Retrier = get(name).retrier()

    /**
     * A retrier of the policy called [name] for [host] alone, with a quota and a send rate of its own; the same one each time. The
     * 256 that were used last are kept.
     *
     * @throws IllegalArgumentException if there is no such policy
     */
    public fun forHost(name: String, host: String): JavaRetrier = named(name).of(host)

    /** The retriers for hosts that [name] has now, by host. */
    public fun hosts(name: String): Map<String, JavaRetrier> = named(name).byHost()

    /**
     * The policy called [name], as it was given.
     *
     * @throws IllegalArgumentException if there is none
     */
    public fun policy(name: String): RetryPolicy = named(name).policy

    /**
     * Sets [policies] in place of those of the same names, for calls that begin from now on. Retriers stay the same objects, with
     * their quotas and send rates, and a name that is not in [policies] stays as it is. Policies that were [laid over][layOver]
     * them come back when that is done again.
     */
    @Synchronized
    public fun update(policies: Map<String, RetryPolicy>): Unit = set(addedToBase(policies))

    private fun addedToBase(policies: Map<String, RetryPolicy>) =
        policies.onEach { (name, policy) -> base[name] = lazyOf(policy) }

    /**
     * Sets [policies] over those of the same names, as properties that may change again do, for calls that begin from now on. A name
     * that the last call of this function gave and this one does not goes back to the policy that it has from the constructor or
     * [update]; one that has none there stays as it is, since a client may hold its retrier.
     */
    @Synchronized
    public fun layOver(policies: Map<String, RetryPolicy>) {
        val uncovered = base.filterKeys { it in laidOver && it !in policies }.mapValues { (_, policy) -> policy.value }
        laidOver = policies.keys.toSet()
        set(uncovered + policies)
    }

    /** Gives [name] the policy of [make] in the way of [update], unless it has one from there. Made when it is in force first. */
    @Synchronized
    internal fun ensure(name: String, make: () -> RetryPolicy) {
        if (name in base) return
        val policy = lazy(make)
        if (name !in laidOver) set(mapOf(name to policy.value))
        base[name] = policy
    }

    private fun set(policies: Map<String, RetryPolicy>) {
        val known = entries
        val changed = policies.mapValues { (name, policy) ->
            known[name]?.also { it.update(policy) } ?: Named(name, policy)
        }
        entries = (known + changed).toSortedMap().toMap()
    }

    private fun named(name: String): Named = entries[name] ?: throw IllegalArgumentException(
        "there is no retry policy '$name'; there are: ${names.joinToString()}",
    )

    override fun toString(): String = "RetryRegistry(${names.joinToString()})"

    /** The retriers of one name. */
    private inner class Named(private val name: String, policy: RetryPolicy) {
        @Volatile
        var policy: RetryPolicy = policy
            private set

        @Volatile
        private var known = SpringErrors.addedTo(policy)
        private val hosts =
            RetrierCache<String, HostRetrier>(MOST_HOSTS) { HostRetrier(it, make(RetryConfigurer::configureHost)) }
        val retrier: JavaRetrier = make(RetryConfigurer::configure)

        init {
            tellUpdated()
        }

        fun of(host: String): JavaRetrier {
            val retrier = hosts[host].retrier
            // A retrier that was made while the policy was replaced.
            if (retrier.policy() !== known) retrier.update(known)
            return retrier
        }

        fun byHost(): Map<String, JavaRetrier> = hosts.values().associate { it.host to it.retrier }.toSortedMap()

        fun update(policy: RetryPolicy) {
            if (policy == this.policy) return
            this.policy = policy
            known = SpringErrors.addedTo(policy)
            retrier.update(known)
            hosts.values().forEach { it.retrier.update(known) }
            tellUpdated()
        }

        private fun tellUpdated() = configurers.forEach { it.updated(name, retrier) }

        private fun make(configure: RetryConfigurer.(String, JavaRetrierBuilder) -> Unit): JavaRetrier {
            val builder = JavaRetrier.builder(known).name(name)
            configurers.forEach { configure(it, name, builder) }
            return builder.build()
        }
    }

    private class HostRetrier(val host: String, val retrier: JavaRetrier)

    public companion object {
        /** The name of the retrier of a `@Retry` that names none. */
        public const val DEFAULT: String = "default"

        /** The name of the policy of HTTP clients that are given none. */
        public const val HTTP: String = "http"

        private const val MOST_HOSTS = 256

        private val BUILT_IN = mapOf(DEFAULT to RetryPolicy.STANDARD, HTTP to RetryPolicy.HTTP)
    }
}
