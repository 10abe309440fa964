package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.boot.internal.RepriseProperties
import dev.reprise.spring.http.CuttableRequests
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.IdempotentMethods
import dev.reprise.spring.http.RetryInterceptor
import dev.reprise.spring.webclient.RetryExchangeFilter
import org.apache.hc.client5.http.impl.classic.HttpClients
import org.eclipse.jetty.client.HttpClient
import org.springframework.beans.factory.ObjectProvider
import org.springframework.beans.factory.SmartInitializingSingleton
import org.springframework.boot.autoconfigure.AutoConfiguration
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.JettyClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer
import org.springframework.boot.http.client.reactive.HttpComponentsClientHttpConnectorBuilder
import org.springframework.boot.http.client.reactive.JettyClientHttpConnectorBuilder
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.Ordered
import org.springframework.http.client.ClientHttpRequestInterceptor
import org.springframework.web.client.RestClient
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer
import org.springframework.web.reactive.function.client.ExchangeFilterFunction
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer
import org.springframework.web.service.registry.HttpServiceGroupConfigurer
import org.springframework.web.service.registry.HttpServiceGroupConfigurer.Groups
import org.springframework.web.service.registry.HttpServiceProxyRegistry
import reactor.netty.http.client.HttpClient as NettyClient

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
    internal class ForRestClient {
        @Bean("repriseRestClientGroups")
        internal fun retryRestClientGroups(clients: RetriedClients): RestClientHttpServiceGroupConfigurer =
            object : RestClientHttpServiceGroupConfigurer {
                override fun configureGroups(groups: Groups<RestClient.Builder>) =
                    clients.forEach(groups) { client, retries ->
                        val retrying by lazy { RetryInterceptor(retries.value) }
                        val interceptor = ClientHttpRequestInterceptor { request, body, next ->
                            retrying.intercept(request, body, next)
                        }
                        client.requestInterceptors { it.add(0, interceptor) }
                    }

                override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
            }
    }

    /** Lets attempts cancel the requests of Apache's clients, where Boot makes them. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestFactoryBuilderCustomizer::class, HttpClients::class)
    internal class ForApacheClient {
        @Bean("repriseCuttableRequests")
        internal fun cuttableRequests(): ClientHttpRequestFactoryBuilderCustomizer<*> =
            ForApacheBuilder { it.withCustomizer(CuttableRequests::of) }

        @Bean("repriseCuttableExchanges")
        internal fun cuttableExchanges(): ClientHttpConnectorBuilderCustomizer<*> =
            ForApacheConnector { it.withHttpClientCustomizer(CuttableRequests::ofApache) }

        private fun interface ForApacheConnector :
            ClientHttpConnectorBuilderCustomizer<HttpComponentsClientHttpConnectorBuilder>

        /** Names the type that Boot looks for. */
        private fun interface ForApacheBuilder :
            ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>
    }

    /** Lets attempts cancel the requests of Jetty's clients, where Boot makes them. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestFactoryBuilderCustomizer::class, HttpClient::class)
    internal class ForJettyClient {
        @Bean("repriseCuttableJettyRequests")
        internal fun cuttableRequests(): ClientHttpRequestFactoryBuilderCustomizer<*> =
            ForJettyBuilder { it.withHttpClientCustomizer(CuttableRequests::ofJetty) }

        @Bean("repriseCuttableJettyExchanges")
        internal fun cuttableExchanges(): ClientHttpConnectorBuilderCustomizer<*> =
            ForJettyConnector { it.withHttpClientCustomizer(CuttableRequests::ofJetty) }

        private fun interface ForJettyConnector : ClientHttpConnectorBuilderCustomizer<JettyClientHttpConnectorBuilder>

        /** Names the type that Boot looks for. */
        private fun interface ForJettyBuilder :
            ClientHttpRequestFactoryBuilderCustomizer<JettyClientHttpRequestFactoryBuilder>
    }

    /** Lets attempts cancel the requests of RestClient over Reactor Netty, where Boot makes its client. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestFactoryBuilderCustomizer::class, NettyClient::class)
    internal class ForNettyClient {
        @Bean("repriseCuttableNettyRequests")
        internal fun cuttableRequests(): ClientHttpRequestFactoryBuilderCustomizer<*> =
            ForNettyBuilder { it.withHttpClientCustomizer(CuttableRequests::ofNetty) }

        /** Names the type that Boot looks for. */
        private fun interface ForNettyBuilder :
            ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder>
    }

    /** For groups of WebClient. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient::class, WebClientHttpServiceGroupConfigurer::class)
    internal class ForWebClient {
        @Bean("repriseWebClientGroups")
        internal fun retryWebClientGroups(clients: RetriedClients): WebClientHttpServiceGroupConfigurer =
            object : WebClientHttpServiceGroupConfigurer {
                override fun configureGroups(groups: Groups<WebClient.Builder>) =
                    clients.forEach(groups) { client, retries ->
                        val retrying by lazy { RetryExchangeFilter(retries.value) }
                        val filter = ExchangeFilterFunction { request, next -> retrying.filter(request, next) }
                        client.filters { it.add(0, filter) }
                    }

                override fun getOrder(): Int = Ordered.LOWEST_PRECEDENCE
            }
    }
}

/**
 * The groups that have a policy. One of a group that is not there is told: it may be of another profile, or misspelt. The names are
 * looked up when all beans are there: a configuration may set a policy in its constructor, and be made after the first client.
 */
internal class RetriedClients(
    clients: Map<String, RepriseProperties.Client>,
    private val registry: RetryRegistry,
    private val groups: ObjectProvider<HttpServiceProxyRegistry>,
) : SmartInitializingSingleton {
    private val policies: Map<String, String> = clients.mapNotNull { (group, client) ->
        client.policy?.let { group to it }
    }.toMap()
    private val retries = policies.mapValues { (_, policy) -> lazy { HttpRetries.of(registry, policy) } }

    override fun afterSingletonsInstantiated() {
        for ((group, policy) in policies) {
            if (policy in registry.names) continue
            val rule = "must be one of ${registry.names.joinToString()}"
            throw PolicyPropertyException("reprise.clients.$group.policy", rule, "\"$policy\"", null)
        }
        val known = groups.stream().toList().flatMap { it.groupNames }.sorted()
        for (name in policies.keys - known.toSet()) {
            val there = if (known.isEmpty()) "there are none" else "there are ${known.joinToString()}"
            warn("reprise.clients.$name.policy: no such HTTP service group, $there")
        }
    }

    fun <C : Any> forEach(groups: Groups<C>, add: (C, Lazy<HttpRetries>) -> Unit) {
        for ((name, retries) in retries) {
            // Each forEach takes the filter away again.
            groups.filterByName(name).forEachClient { _, client -> add(client, retries) }
            groups.filterByName(name).forEachProxyFactory { _, factory ->
                factory.httpRequestValuesProcessor(IdempotentMethods())
            }
        }
    }
}
