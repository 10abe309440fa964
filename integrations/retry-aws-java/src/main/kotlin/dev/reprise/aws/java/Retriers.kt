package dev.reprise.aws.java

import dev.reprise.core.CallOptions
import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.RetrierSetup
import dev.reprise.java.JavaRetrier
import java.util.concurrent.ConcurrentHashMap

/**
 * The retriers behind one strategy: one for all its calls, under the policy of each call's service, and the user's for each
 * quota scope, if any, with the strategy's listeners and changes. Thread-safe; looking one up takes no lock.
 */
internal class Retriers(
    val root: Retrier,
    val source: PolicySource,
    private val scopes: RetrierCache<String, JavaRetrier>?,
    private val scope: QuotaScope,
    /** The policy of a scope's calls, of its retrier's policy. */
    private val ofScope: (RetryPolicy) -> RetryPolicy = { it },
) {
    private val plain = AwsView(root) { it }
    private val services = ConcurrentHashMap<String, AwsView>()

    // The user's cache is asked for each call, so that it knows which scopes are in use.
    private val scoped = scopes?.let { RetrierCache<JavaRetrier, AwsView>(it.capacity, ::viewOf) }
    private val options = ConcurrentHashMap<String, ConcurrentHashMap<String, CallOptions>>()

    /** Whether the policy in force differs between services: no more once the user has replaced it. */
    val dependsOnService: Boolean get() = source.dependsOnService && !isReplaced

    /** Whether the user has replaced the policy: then the new one is in force for every service and scope. */
    private val isReplaced: Boolean get() = root.policy !== source.base

    /** Whether attempts need send permits. */
    val isAdaptive: Boolean get() = root.policy.sendRate != null

    /** The policy of [service]'s calls that begin now. */
    fun policy(service: String?): RetryPolicy = if (isReplaced) root.policy else source.policy(service)

    /** The setup that calls to [service] in [scope] share. */
    fun setup(service: String?, scope: String?): RetrierSetup = when {
        scope != null && scopes != null && scoped != null -> scoped[scopes[scope]].setup
        service == null || !source.dependsOnService -> plain.setup
        else -> (services[service] ?: viewOf(service)).setup
    }

    private fun viewOf(service: String) = services.computeIfAbsent(service) {
        AwsView(root) { now -> if (now === source.base) source.policy(service) else now }
    }

    private fun viewOf(retrier: JavaRetrier) = AwsView(retrier.withoutOptions(), root) { own ->
        if (isReplaced) root.policy else ofScope(own)
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
        if (isReplaced) return Retriers(changed, PolicySource.of(changed.policy), scopes, scope) { changed.policy }
        return Retriers(changed, source.with(changed.policy, change), scopes, scope) { change(ofScope(it)) }
    }
}

/** The retrier behind this one; throws if this is a view with options. */
internal fun JavaRetrier.withoutOptions(): Retrier {
    val options = options()
    require(options == CallOptions.DEFAULT) {
        "retrier must be one without options, since the SDK's calls have their own: $options"
    }
    return retrier()
}
