package dev.reprise.aws.java

import dev.reprise.presets.config.RetryMode
import software.amazon.awssdk.retries.AdaptiveRetryStrategy
import software.amazon.awssdk.retries.LegacyRetryStrategy
import software.amazon.awssdk.retries.StandardRetryStrategy

/**
 * Makes strategies. The SDK distinguishes its retry modes by the strategy's type, and writes the mode into the user
 * agent of every request. So each mode has a type.
 */
internal object Modes {
    fun strategy(
        retriers: Retriers,
        service: String?,
        mode: RetryMode?,
        usesClientDefaults: Boolean,
    ): RepriseRetryStrategy = when {
        retriers.isAdaptive -> Adaptive(retriers, service, usesClientDefaults)
        mode == RetryMode.LEGACY -> Legacy(retriers, service, usesClientDefaults)
        else -> Standard(retriers, service, usesClientDefaults)
    }

    /** [of] for [service]. */
    fun strategy(of: RepriseRetryStrategy, service: String): RepriseRetryStrategy =
        strategy(of.retriers, service, if (of is Legacy) RetryMode.LEGACY else null, of.useClientDefaults())

    private class Standard(retriers: Retriers, service: String?, usesClientDefaults: Boolean) :
        RepriseRetryStrategy(retriers, service, usesClientDefaults),
        StandardRetryStrategy {
        override fun toBuilder(): StandardRetryStrategy.Builder = Builder(this)

        class Builder(from: Standard) :
            SdkStrategyBuilder<StandardRetryStrategy.Builder, StandardRetryStrategy>(from),
            StandardRetryStrategy.Builder {
            override fun circuitBreakerEnabled(enabled: Boolean?): StandardRetryStrategy.Builder = paysFor(enabled)

            override fun build(): StandardRetryStrategy = Standard(changed(), from.service, usesClientDefaults)
        }
    }

    private class Adaptive(retriers: Retriers, service: String?, usesClientDefaults: Boolean) :
        RepriseRetryStrategy(retriers, service, usesClientDefaults),
        AdaptiveRetryStrategy {
        override fun toBuilder(): AdaptiveRetryStrategy.Builder = Builder(this)

        class Builder(from: Adaptive) :
            SdkStrategyBuilder<AdaptiveRetryStrategy.Builder, AdaptiveRetryStrategy>(from),
            AdaptiveRetryStrategy.Builder {
            override fun build(): AdaptiveRetryStrategy = Adaptive(changed(), from.service, usesClientDefaults)
        }
    }

    private class Legacy(retriers: Retriers, service: String?, usesClientDefaults: Boolean) :
        RepriseRetryStrategy(retriers, service, usesClientDefaults),
        LegacyRetryStrategy {
        override fun toBuilder(): LegacyRetryStrategy.Builder = Builder(this)

        class Builder(from: Legacy) :
            SdkStrategyBuilder<LegacyRetryStrategy.Builder, LegacyRetryStrategy>(from),
            LegacyRetryStrategy.Builder {
            override fun circuitBreakerEnabled(enabled: Boolean?): LegacyRetryStrategy.Builder = paysFor(enabled)

            override fun build(): LegacyRetryStrategy = Legacy(changed(), from.service, usesClientDefaults)
        }
    }
}
