package dev.reprise.aws.java

import dev.reprise.core.RetrierCache
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.presets.Presets
import dev.reprise.presets.config.AwsRetryConfig
import dev.reprise.presets.config.ConfigOverrides
import dev.reprise.presets.config.RetryMode

/** Builds a [RepriseRetryStrategy]. The last one of policy, preset, retrier and environment counts. Not thread-safe. */
public class RepriseRetryStrategyBuilder internal constructor() {
    private var source = sourceOf("standard-2.1")
    private var mode: RetryMode? = null
    private var shared: Retrier? = null
    private var service: String? = null
    private var scopes: RetrierCache<String, JavaRetrier>? = null
    private var scope = QuotaScope.BY_ATTRIBUTE
    private val listeners = mutableListOf<RetryListener>()

    /** Sets how to retry, for every service. */
    public fun policy(policy: RetryPolicy): RepriseRetryStrategyBuilder = of(PolicySource.of(policy))

    /**
     * Sets the [preset][Presets] called [name], with its policy for each service.
     *
     * @throws IllegalArgumentException if there is none; the message lists all
     */
    public fun preset(name: String): RepriseRetryStrategyBuilder =
        of(sourceOf(name), if (name.endsWith("-legacy")) RetryMode.LEGACY else null)

    /**
     * Shares policy, quota, send rate and listeners with [retrier]; its policy counts for every service.
     *
     * @throws IllegalArgumentException if it is a view with options: the SDK's calls have their own
     */
    public fun retrier(retrier: JavaRetrier): RepriseRetryStrategyBuilder {
        val own = retrier.withoutOptions()
        return of(PolicySource.of(own.policy)).also { shared = own }
    }

    /**
     * Takes what `AWS_RETRY_MODE`, `AWS_MAX_ATTEMPTS` and the profile file say, where [overrides] do not say otherwise; see
     * [AwsRetryConfig].
     *
     * @throws dev.reprise.presets.config.ConfigException if a setting is there and is wrong
     */
    public fun environment(overrides: ConfigOverrides): RepriseRetryStrategyBuilder {
        val config = AwsRetryConfig.resolve(null, overrides)
        val preset = Presets.find(config.preset)!!
        val ofServices = preset.services.associateWith { AwsRetryConfig.resolve(it, overrides).policy() }
        return of(PolicySource.of(preset, config.policy(), ofServices::getValue), config.retryMode.value)
    }

    /** Sets the service of all calls, such as `dynamodb`: where its policy differs, and no plugin says it. */
    public fun service(service: String): RepriseRetryStrategyBuilder = apply { this.service = service }

    /** Adds a listener. It sees the SDK's own exceptions. */
    public fun listener(listener: RetryListener): RepriseRetryStrategyBuilder = apply { listeners += listener }

    /**
     * Gives each scope of calls the quota, send rate, policy and listeners of its retrier in [retriers], which is asked for each
     * call. The strategy's listeners hear them too; its changes, and an [update][RepriseRetryStrategy.update], hold for all
     * scopes. [scope] returns the scope of a call; a call without one uses the strategy's. Needs the
     * [plugin][RepriseRetryStrategy.plugin]: without it the SDK has one scope. A call fails with an `IllegalArgumentException` if
     * its retrier is a view with options.
     */
    @JvmOverloads
    public fun scopes(
        retriers: RetrierCache<String, JavaRetrier>,
        scope: QuotaScope = QuotaScope.BY_ATTRIBUTE,
    ): RepriseRetryStrategyBuilder = apply {
        scopes = retriers
        this.scope = scope
    }

    /**
     * The strategy.
     *
     * @throws IllegalArgumentException if the [service] is no service's name, or misspells one whose policy differs
     */
    public fun build(): RepriseRetryStrategy {
        service?.let(source::check)
        val retrier = listeners.fold(shared ?: Retrier(source.base)) { retrier, listener -> retrier.with(listener) }
        return Modes.strategy(Retriers(retrier, source, scopes, scope), service, mode, false)
    }

    private fun of(source: PolicySource, mode: RetryMode? = null) = apply {
        this.source = source
        this.mode = mode
        shared = null
    }

    /** `named` says which presets there are if there is none of [name]. */
    private fun sourceOf(name: String) = Presets.named(name).let { PolicySource.of(Presets.find(name)!!, it) }
}
