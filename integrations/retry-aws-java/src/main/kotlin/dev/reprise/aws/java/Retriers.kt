package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup
import dev.reprise.java.JavaRetrier
import java.util.concurrent.ConcurrentHashMap

/**
 * The retriers behind one strategy: one for all its calls, under the policy of each call's service, and one for each quota
 * scope if the user has any. Thread-safe; looking one up takes no lock.
 */
internal class Retriers(
    val root: Retrier,
    private val source: PolicySource,
    private val scopes: RetrierCache<String, JavaRetrier>?,
    private val scope: QuotaScope,
) {
    private val plain = AwsView(root) { it }
    private val services = ConcurrentHashMap<String, AwsView>()
    private val scoped = scopes?.let { of ->
        RetrierCache<String, AwsView>(of.capacity) { AwsView(of[it].retrier()) { it } }
    }
    private val options = ConcurrentHashMap<String, ConcurrentHashMap<String, CallOptions>>()

    /** Whether the policy in force differs between services: no more once the user has replaced it. */
    val dependsOnService: Boolean get() = source.dependsOnService && root.policy === source.base

    /** Whether attempts need send permits. */
    val isAdaptive: Boolean get() = root.policy.sendRate != null

    /** The policy of [service]'s calls that begin now. */
    fun policy(service: String?): RetryPolicy = if (root.policy === source.base) source.policy(service) else root.policy

    /** The setup that calls to [service] in [scope] share. */
    fun setup(service: String?, scope: String?): RetrierSetup = when {
        scope != null && scoped != null -> scoped[scope].setup
        service == null || !source.dependsOnService -> plain.setup
        else -> (services[service] ?: viewOf(service)).setup
    }

    private fun viewOf(service: String) = services.computeIfAbsent(service) {
        AwsView(root) { now -> if (now === source.base) source.policy(service) else now }
    }

    fun scopeOf(call: CallContext): String? = if (scoped == null) null else scope.of(call.request, call.attributes)

    /** The options of [operation], the same object each time. */
    fun options(service: String, operation: String): CallOptions {
        val ofService = options[service] ?: options.computeIfAbsent(service) { ConcurrentHashMap() }
        return ofService[operation] ?: ofService.computeIfAbsent(operation) { CallOptions("$service.$operation") }
    }

    /** Retriers that share quota and send rate with these, with [change] made to every policy. */
    fun with(change: (RetryPolicy) -> RetryPolicy): Retriers {
        val changed = root.with(change(root.policy))
        val isSource = root.policy === source.base
        val after = if (isSource) source.with(changed.policy, change) else PolicySource.of(changed.policy)
        return Retriers(changed, after, scopes, scope)
    }
}
