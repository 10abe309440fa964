package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint
import org.springframework.boot.actuate.endpoint.annotation.Endpoint
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.context.annotation.Bean

/** Adds the actuator's endpoint `reprise`, where it is exposed. */
@AutoConfiguration(before = [RepriseAutoConfiguration::class])
@ConditionalOnClass(Endpoint::class, ConditionalOnAvailableEndpoint::class)
@ConditionalOnAvailableEndpoint(RetriesEndpoint::class)
public class EndpointAutoConfiguration {
    @Bean("repriseGiveUps")
    internal fun retryGiveUps(): GiveUps = GiveUps()

    @Bean("repriseEndpoint")
    internal fun retriesEndpoint(registry: RetryRegistry, giveUps: GiveUps): RetriesEndpoint =
        RetriesEndpoint(registry, giveUps)
}
