package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.client.RetryStrategyClientConfig
import aws.smithy.kotlin.runtime.client.SdkClientConfig
import aws.smithy.kotlin.runtime.http.config.HttpClientConfig
import dev.reprise.core.ExperimentalReprise
import dev.reprise.core.shell.ShellApi
import dev.reprise.presets.Presets
import dev.reprise.presets.config.ConfigException

/**
 * Retries this client's calls as properties, environment (`AWS_RETRY_MODE`, `AWS_MAX_ATTEMPTS`) and profile file say, and by
 * `standard-2.1` if they say nothing; DynamoDB and its streams as these services want it. Reads files, and blocks while it does.
 *
 * The service is known by the client's name. Where you change that name, take [RepriseRetryStrategy.fromEnvironment].
 *
 * @throws ConfigException if a setting is there and is wrong
 */
@ExperimentalReprise
public fun <B> B.useReprise() where B : RetryStrategyClientConfig.Builder, B : SdkClientConfig.Builder<*> {
    use(RepriseRetryStrategy.fromEnvironment(specialService(clientName)))
}

/**
 * Retries this client's calls by the [preset][Presets] of that name; DynamoDB and its streams as these services want it.
 *
 * The service is known by the client's name. Where you change that name, take [RepriseRetryStrategy.named].
 *
 * @throws IllegalArgumentException if there is no such preset
 */
@ExperimentalReprise
public fun <B> B.useReprise(
    preset: String,
) where B : RetryStrategyClientConfig.Builder, B : SdkClientConfig.Builder<*> {
    use(RepriseRetryStrategy.named(preset, specialService(clientName)))
}

private fun RetryStrategyClientConfig.Builder.use(strategy: RepriseRetryStrategy) {
    retryStrategy = strategy
    if (this !is HttpClientConfig.Builder) return
    interceptors.removeAll { it is OneShot }
    interceptors += OneShot(strategy.retrier, strategy::callOptions)
}

/** The service with a policy of its own that the client called [clientName] is for. A name of the user's is never wrong. */
@OptIn(ShellApi::class)
internal fun specialService(clientName: String): String? = Presets.all.firstNotNullOfOrNull { it.variantOf(clientName) }
