package dev.reprise.spring.boot

import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.RetryInterceptor
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.web.client.RestClient
import kotlin.time.measureTime

/** As the page says: Apache's client repeats a 503 by itself, once. */
@Configuration(proxyBeanMethods = false)
open class NoOwnRepeats {
    @Bean
    open fun automaticRetries(): ClientHttpRequestFactoryBuilderCustomizer<*> =
        object : ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> {
            override fun customize(builder: HttpComponentsClientHttpRequestFactoryBuilder) =
                builder.withHttpClientCustomizer { it.disableAutomaticRetries() }
        }
}

private const val HEAD = "HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\nContent-Length: 900\r\n\r\n"

/** The clients that Boot may pick, by the classes that are there or by a property. */
class ChosenClientTest :
    FunSpec({
        val boot = ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(
                HttpClientAutoConfiguration::class.java,
                ImperativeHttpClientAutoConfiguration::class.java,
                RestClientAutoConfiguration::class.java,
                RepriseAutoConfiguration::class.java,
                ClientAutoConfiguration::class.java,
            ),
        ).withUserConfiguration(NoOwnRepeats::class.java)

        test("with all of them there, Boot picks Apache's") {
            boot.run { context ->
                context.getBean(ClientHttpRequestFactoryBuilder::class.java).javaClass.simpleName shouldBe
                    "HttpComponentsClientHttpRequestFactoryBuilder"
            }
        }

        for (client in listOf(null, "jetty", "jdk", "simple")) {
            test("${client ?: "Boot's choice"}: a failure that trickles in does not hold up the retry") {
                val trickle = Replies.pausing(50, HEAD, *Array(180) { "busy " })
                FaultServer(Fault.NONE, trickle, Fault.NONE).use { server ->
                    val property = client?.let { "spring.http.clients.imperative.factory=$it" }
                    boot.withPropertyValues(*listOfNotNull(property).toTypedArray()).run { context ->
                        val retries = HttpRetries.of(context.getBean(RetryRegistry::class.java), "http")
                        val rest = context.getBean(RestClient.Builder::class.java)
                            .requestInterceptor(RetryInterceptor(retries)).build()
                        fun get() = rest.get().uri(server.uri()).retrieve().body(String::class.java)
                        get()
                        measureTime { get() shouldBe Fault.BODY }.inWholeMilliseconds shouldBeLessThan 3_500
                    }
                }
            }
        }
    })
