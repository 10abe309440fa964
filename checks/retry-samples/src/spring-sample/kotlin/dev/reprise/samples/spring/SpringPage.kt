package dev.reprise.samples.spring

import dev.reprise.core.RetryPolicy
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.Idempotent
import dev.reprise.spring.http.RetryAttributes
import dev.reprise.spring.http.RetryInterceptor
import dev.reprise.spring.http.RetryingRequestFactory
import dev.reprise.spring.method.EnableReprise
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.http.client.JdkClientHttpRequestFactory
import org.springframework.stereotype.Service
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.client.RestClient
import org.springframework.web.service.annotation.GetExchange
import org.springframework.web.service.annotation.PostExchange
import org.springframework.web.service.registry.ImportHttpServices

interface OrderClient {
    @GetExchange("/order/{id}")
    fun find(id: String): String
}

interface PaymentClient {
    @Idempotent
    @PostExchange("/payment")
    fun pay(@RequestBody payment: String): String
}

@Service
class Orders(private val client: OrderClient) {
    @Retry("orders")
    suspend fun find(id: String): String = client.find(id)
}

@Configuration
@ImportHttpServices(group = "orders", types = [OrderClient::class])
class Clients

/** A configuration without Spring Boot. */
@Configuration(proxyBeanMethods = false)
@EnableReprise
class Retries {
    @Bean
    fun registry() = RetryRegistry(mapOf("orders" to RetryPolicy.HTTP))
}

object Beans {
    fun client(registry: RetryRegistry): RestClient {
        val retries = HttpRetries.of(registry, "orders")
        val client = RestClient.builder().requestInterceptor(RetryInterceptor(retries)).build()
        return client
    }

    fun streaming(): RestClient {
        val client = RestClient.builder().requestFactory(RetryingRequestFactory(JdkClientHttpRequestFactory())).build()
        return client
    }

    fun plain(): RestClient {
        val client = RestClient.builder().requestInterceptor(RetryInterceptor()).build()
        return client
    }

    fun place(client: RestClient, order: String) {
        client.post().uri("/orders").attributes(RetryAttributes.IDEMPOTENT).body(order)
    }
}
