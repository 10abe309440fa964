package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.IdempotentMethods
import dev.reprise.spring.http.RetryInterceptor
import dev.reprise.spring.webclient.RetryExchangeFilter
import org.springframework.beans.factory.ObjectProvider
import org.springframework.beans.factory.SmartInitializingSingleton
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.Ordered
import org.springframework.web.client.RestClient
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer
import org.springframework.web.service.registry.HttpServiceGroupConfigurer
import org.springframework.web.service.registry.HttpServiceGroupConfigurer.Groups
import org.springframework.web.service.registry.HttpServiceProxyRegistry

/**
 * Retries the requests of HTTP service clients as `reprise.clients.<group>.policy` says. The retries stand outside all other
 * interceptors and filters, so each attempt is logged, signed and measured.
 */
@AutoConfiguration(after = [RepriseAutoConfiguration::class])
@ConditionalOnClass(HttpServiceGroupConfigurer::class)
public class ClientAutoConfiguration {
    @Bean("repriseClients")
    internal fun retryClients(
        properties: RepriseProperties,
        registry: RetryRegistry,
        groups: ObjectProvider<HttpServiceProxyRegistry>,
    ): RetriedClients = RetriedClients(properties.clients, registry, groups)

    /** For groups of RestClient. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClient::class, RestClientHttpServiceGroupConfigurer::class)
    public class ForRestClient {
        @Bean("repriseRestClientGroups")
        internal fun retryRestClientGroups(clients: RetriedClients): RestClientHttpServiceGroupConfigurer =
            object : RestClientHttpServiceGroupConfigurer {
                override fun configureGroups(groups: Groups<RestClient.Builder>) =
                    clients.forEach(groups) { client, retries ->
                        client.requestInterceptors { it.add(0, RetryInterceptor(retries)) }
                    }

                override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
            }
    }

    /** For groups of WebClient. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient::class, WebClientHttpServiceGroupConfigurer::class)
    public class ForWebClient {
        @Bean("repriseWebClientGroups")
        internal fun retryWebClientGroups(clients: RetriedClients): WebClientHttpServiceGroupConfigurer =
            object : WebClientHttpServiceGroupConfigurer {
                override fun configureGroups(groups: Groups<WebClient.Builder>) =
                    clients.forEach(groups) { client, retries ->
                        client.filters { it.add(0, RetryExchangeFilter(retries)) }
                    }

                override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
            }
    }
}

/** The groups that have a policy. A policy of a group that is not there is told: it may be of another profile, or misspelt. */
internal class RetriedClients(
    clients: Map<String, RepriseProperties.Client>,
    registry: RetryRegistry,
    private val groups: ObjectProvider<HttpServiceProxyRegistry>,
) : SmartInitializingSingleton {
    private val retries: Map<String, HttpRetries> = buildMap {
        for ((group, client) in clients) {
            val policy = client.policy ?: continue
            if (policy !in registry.names) {
                val names = registry.names.joinToString()
                throw PolicyPropertyException(
                    "reprise.clients.$group.policy",
                    "must be one of $names",
                    "\"$policy\"",
                    null,
                )
            }
            put(group, HttpRetries.of(registry, policy))
        }
    }

    override fun afterSingletonsInstantiated() {
        val known = groups.stream().toList().flatMap { it.groupNames }.sorted()
        for (name in retries.keys - known.toSet()) {
            val there = if (known.isEmpty()) "there are none" else "there are ${known.joinToString()}"
            warn("reprise.clients.$name.policy: no such HTTP service group, $there")
        }
    }

    fun <C : Any> forEach(groups: Groups<C>, add: (C, HttpRetries) -> Unit) {
        for ((name, retries) in retries) {
            val group = groups.filterByName(name)
            group.forEachClient { _, client -> add(client, retries) }
            group.forEachProxyFactory { _, factory -> factory.httpRequestValuesProcessor(IdempotentMethods()) }
        }
    }
}
