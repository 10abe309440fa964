package dev.reprise.spring.boot

import dev.reprise.build.WaitingSpec
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.faults.Reply
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.http.RetryInterceptor
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import kotlinx.coroutines.runBlocking
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.web.client.RestClient
import reactor.netty.http.client.HttpClient
import kotlin.time.Duration.Companion.seconds
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

private const val HEAD = "HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\nContent-Length: 3000\r\n\r\n"

private const val STALLING =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"

/** The clients that Boot may pick, by the classes that are there or by a property. */
class ChosenClientTest :
    WaitingSpec({
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

        test("Reactor Netty's client is one whose requests can be cancelled") {
            boot.run { context ->
                @Suppress("UNCHECKED_CAST")
                val ours = context.getBean("repriseCuttableNettyRequests")
                    as ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder>
                val clients = mutableListOf<HttpClient>()
                val plain = ClientHttpRequestFactoryBuilder.reactor().withHttpClientCustomizer { it.also(clients::add) }
                ours.customize(plain).withHttpClientCustomizer { it.also(clients::add) }.build()
                clients.size shouldBe 2
                clients[1] shouldNotBeSameInstanceAs clients[0]
            }
        }

        for (client in listOf(null, "jetty", "reactor", "jdk", "simple")) {
            val name = client ?: "Boot's choice"
            val choosing = boot.withPropertyValues(
                *listOfNotNull(client?.let { "spring.http.clients.imperative.factory=$it" }).toTypedArray(),
            )

            test("$name: a failure that trickles in does not hold up the retry") {
                val trickle = Replies.pausing(50, HEAD, *Array(600) { "busy " })
                FaultServer(Fault.NONE, trickle, Fault.NONE).use { server ->
                    choosing.run { context ->
                        val rest = context.client()
                        rest.get(server)
                        measureTime { rest.get(server) shouldBe Fault.BODY }.inWholeSeconds shouldBeLessThan 15
                    }
                }
            }

            test("$name: a body that stalls never passes for a whole one, and its connection is closed") {
                val stall = Reply { connection ->
                    connection.getOutputStream().write(STALLING.toByteArray())
                    connection.getInputStream().readAllBytes()
                    false
                }
                FaultServer(Fault.NONE, stall).use { server ->
                    choosing.withPropertyValues(
                        "reprise.policies.http.attempt-timeout=800ms",
                        "reprise.policies.http.max-attempts=2",
                        // As the page says for HttpURLConnection.
                        "spring.http.clients.read-timeout=1600ms",
                    ).run { context ->
                        // Loads the classes, which takes longer than an attempt may.
                        context.getBean(RestClient.Builder::class.java).build().get(server)
                        val rest = context.client()
                        repeat(2) {
                            val thrown = shouldThrow<Exception> { rest.get(server) }
                            val causes = generateSequence<Throwable>(thrown) { it.cause }
                            causes.any { it is AttemptTimeoutException } shouldBe true
                        }
                        server.requests().size shouldBe 5
                        runBlocking { eventually(30.seconds) { server.openConnections() shouldBeLessThan 2 } }
                    }
                }
            }
        }
    })

private fun ApplicationContext.client(): RestClient {
    val retries = HttpRetries.of(getBean(RetryRegistry::class.java), "http")
    return getBean(RestClient.Builder::class.java).requestInterceptor(RetryInterceptor(retries)).build()
}

private fun RestClient.get(server: FaultServer): String? = get().uri(server.uri()).retrieve().body(String::class.java)
