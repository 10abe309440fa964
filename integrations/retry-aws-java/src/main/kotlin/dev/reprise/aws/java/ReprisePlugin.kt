package dev.reprise.aws.java

import dev.reprise.core.shell.time.UNLIMITED_NANOS
import dev.reprise.core.shell.values.deadlineNanos
import software.amazon.awssdk.core.SdkPlugin
import software.amazon.awssdk.core.SdkServiceClientConfiguration
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration
import java.time.Duration

private const val CONFIGURATION = "ServiceClientConfiguration"

/** Puts [strategy] into a client, with the hooks around its calls and the time limits of its policy. */
internal class ReprisePlugin(private val strategy: RepriseRetryStrategy) : SdkPlugin {
    override fun configureClient(config: SdkServiceClientConfiguration.Builder) {
        val service = strategy.service ?: serviceOf(config)
        val own = if (service == null) strategy else Modes.strategy(strategy, service)
        config.overrideConfiguration { override ->
            override.retryStrategy(own)
            val others = override.executionInterceptors().filterNot { it is CallHooks }
            override.executionInterceptors(others + CallHooks(own.retriers))
            limit(override, own)
        }
    }

    /** The SDK enforces the limits that the policy has, where the client has none; of attempts that differ, the longest. */
    private fun limit(override: ClientOverrideConfiguration.Builder, own: RepriseRetryStrategy) {
        val policy = own.policy()
        val forCall = policy.deadlineNanos
        val forAttempt = policy.attemptTimeouts.maxOrNull()?.inWholeNanoseconds ?: UNLIMITED_NANOS
        if (forCall != UNLIMITED_NANOS && override.apiCallTimeout() == null) {
            override.apiCallTimeout(Duration.ofNanos(forCall))
        }
        if (forAttempt != UNLIMITED_NANOS && override.apiCallAttemptTimeout() == null) {
            override.apiCallAttemptTimeout(Duration.ofNanos(forAttempt))
        }
    }

    /** The service that [config] is of: its public interface is called after it, as `DynamoDbServiceClientConfiguration`. */
    private fun serviceOf(config: SdkServiceClientConfiguration.Builder): String? = config.javaClass.interfaces
        .mapNotNull { it.enclosingClass?.simpleName }
        .firstOrNull { it.endsWith(CONFIGURATION) }
        ?.removeSuffix(CONFIGURATION)
        ?.takeIf { it.isNotEmpty() && it != "Aws" && it != "Sdk" }
}
