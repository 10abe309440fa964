package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.RetryInterceptor
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.context.annotation.Bean
import org.springframework.core.Ordered
import org.springframework.web.client.RestClient
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer
import org.springframework.web.service.registry.HttpServiceGroupConfigurer.Groups

/** Retries the requests of HTTP service clients as `reprise.clients.<group>.policy` says. */
@AutoConfiguration(after = [RepriseAutoConfiguration::class])
@ConditionalOnClass(RestClient::class, RestClientHttpServiceGroupConfigurer::class)
public class ClientAutoConfiguration {
    /** Adds the interceptor to the groups that have a policy. */
    @Bean
    public fun retryGroupConfigurer(
        properties: RepriseProperties,
        registry: RetryRegistry,
    ): RestClientHttpServiceGroupConfigurer = RetryGroupConfigurer(properties.clients, registry)
}

/** The interceptor stands outside all others, so each attempt is logged, signed and measured. */
private class RetryGroupConfigurer(
    private val clients: Map<String, RepriseProperties.Client>,
    registry: RetryRegistry,
) : RestClientHttpServiceGroupConfigurer {
    private val interceptors = clients.mapNotNull { (group, client) ->
        val policy = client.policy ?: return@mapNotNull null
        if (policy !in registry.names) {
            throw PolicyPropertyException(
                "reprise.clients.$group.policy",
                "must be one of ${registry.names.joinToString()}",
                "\"$policy\"",
                null,
            )
        }
        group to RetryInterceptor(HttpRetries.of(registry, policy))
    }.toMap()

    override fun configureGroups(groups: Groups<RestClient.Builder>) {
        for ((group, interceptor) in interceptors) {
            groups.filterByName(group).forEachClient { _, builder ->
                builder.requestInterceptors { it.add(0, interceptor) }
            }
        }
    }

    override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
}
