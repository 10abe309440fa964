package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.retries.Outcome
import aws.smithy.kotlin.runtime.retries.RetryStrategy
import aws.smithy.kotlin.runtime.util.DslFactory
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.presets.Presets
import dev.reprise.presets.config.ConfigException
import dev.reprise.presets.config.fromEnvironment
import kotlinx.coroutines.currentCoroutineContext
import aws.smithy.kotlin.runtime.retries.policy.RetryPolicy as SdkRetryPolicy

/**
 * Experimental. Retries the calls of an AWS client, or of any other smithy-kotlin client, by the policy of a [Retrier].
 *
 * ```kotlin
 * val dynamo = DynamoDbClient.fromEnvironment { useReprise() }
 * ```
 *
 * All calls of the clients that are given one strategy, or strategies with one [retrier], share its quota and its send rate.
 * Events, metrics and traces are listeners of that retrier, and [Retrier.update] replaces the policy of a running client.
 *
 * Safe for any number of threads and coroutines.
 */
@ExperimentalReprise
public class RepriseRetryStrategy private constructor(builder: StrategyConfig.Builder) : RetryStrategy {
    /** The policy, and the state that the calls share. */
    public val retrier: Retrier = builder.buildRetrier()

    private val operations = Operations(builder.longPolls.toSet())
    private val sdkVerdicts = builder.sdkVerdicts

    override val config: StrategyConfig = StrategyConfig(retrier, sdkVerdicts, operations.longPolls)

    /**
     * Runs [block] until it succeeds or the retrier's policy gives up, and returns the accepted outcome.
     *
     * Throws the last attempt's own exception, with one suppressed [RetryTrace][dev.reprise.core.RetryTrace]. [policy]
     * is the client's own judgement; [SdkVerdicts] is its weight. A cancelled coroutine stops at once, in an attempt
     * and in a wait: nothing is retried, and tokens that were taken for a retry that did not begin come back.
     */
    override suspend fun <R> retry(policy: SdkRetryPolicy<R>, block: suspend () -> R): Outcome<R> =
        retrier.execute(operations.optionsOf(currentCoroutineContext()), policy, sdkVerdicts, block)

    override fun toString(): String = "RepriseRetryStrategy($retrier)"

    /** Makes strategies; as a factory it is for the `retryStrategy(RepriseRetryStrategy) { … }` of a client's configuration. */
    public companion object : DslFactory<StrategyConfig.Builder, RepriseRetryStrategy> {
        /** A strategy that [block] configures. */
        override fun invoke(block: StrategyConfig.Builder.() -> Unit): RepriseRetryStrategy =
            RepriseRetryStrategy(StrategyConfig.Builder().apply(block))

        /** A strategy of [policy], with a quota and a send rate of its own. */
        public operator fun invoke(policy: RetryPolicy): RepriseRetryStrategy = invoke { this.policy = policy }

        /** A strategy that shares all that [retrier] has: its policy, quota, send rate and listeners. */
        public operator fun invoke(retrier: Retrier): RepriseRetryStrategy = invoke { this.retrier = retrier }

        /**
         * A strategy of the [preset][Presets] of that name, as [service] (`dynamodb`) has it.
         *
         * @throws IllegalArgumentException if there is no such preset, or [service] is no service's name
         */
        public fun named(preset: String, service: String? = null): RepriseRetryStrategy =
            invoke(Presets.named(preset, service))

        /**
         * A strategy of the policy that properties, environment (`AWS_RETRY_MODE`, `AWS_MAX_ATTEMPTS`) and profile file make
         * for [service]; `standard-2.1` if they say nothing. Reads files, and blocks while it does.
         *
         * @throws ConfigException if a setting is there and is wrong
         */
        public fun fromEnvironment(service: String? = null): RepriseRetryStrategy =
            invoke(RetryPolicy.fromEnvironment(service))
    }
}
