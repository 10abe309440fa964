package dev.reprise.spring.boot

import dev.reprise.spring.observation.RetryObservations
import io.micrometer.observation.ObservationRegistry
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean
import org.springframework.context.annotation.Bean

/** Observes each attempt of all retriers. `management.observations.enable.reprise=false` switches that off, as any observation. */
@AutoConfiguration(
    before = [RepriseAutoConfiguration::class],
    afterName = ["org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"],
)
@ConditionalOnClass(ObservationRegistry::class)
@ConditionalOnBean(ObservationRegistry::class)
public class AttemptObservationAutoConfiguration {
    @Bean("repriseObservations")
    @ConditionalOnMissingBean
    internal fun retryObservations(registry: ObservationRegistry): RetryObservations = RetryObservations(registry)
}
