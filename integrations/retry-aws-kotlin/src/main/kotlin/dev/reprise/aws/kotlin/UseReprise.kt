package dev.reprise.aws.kotlin

import aws.smithy.kotlin.runtime.client.RetryStrategyClientConfig
import aws.smithy.kotlin.runtime.client.SdkClientConfig
import dev.reprise.core.ExperimentalReprise
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
    retryStrategy = RepriseRetryStrategy.fromEnvironment(specialService(clientName))
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
    retryStrategy = RepriseRetryStrategy.named(preset, specialService(clientName))
}

/** The service with a policy of its own that the client called [clientName] is for. A name of the user's is never wrong. */
internal fun specialService(clientName: String): String? {
    val name = clientName.filterNot { it.isWhitespace() }.lowercase()
    return name.takeIf { it in SPECIAL }
}

private val SPECIAL = Presets.all.flatMap { it.services }.toSet()
