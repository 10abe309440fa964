package dev.reprise.spring.boot

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.faults.Replies
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.runBlocking
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration
import org.springframework.web.reactive.function.client.WebClient
import kotlin.time.Duration.Companion.seconds

private fun WebClient.get(server: FaultServer): String? =
    get().uri(server.uri()).retrieve().bodyToMono(String::class.java).block()

/** The clients that Boot puts below WebClient, but for the JDK's, whose bodies nothing ends. */
class ChosenConnectorTest :
    FunSpec({
        val boot = ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(
                HttpClientAutoConfiguration::class.java,
                ReactiveHttpClientAutoConfiguration::class.java,
                WebClientAutoConfiguration::class.java,
                RepriseAutoConfiguration::class.java,
                ClientAutoConfiguration::class.java,
            ),
        ).withPropertyValues(
            "reprise.policies.http.attempt-timeout=600ms",
            "reprise.policies.http.max-attempts=2",
        )

        for (connector in listOf("reactor", "http-components")) {
            test("$connector: what stalls fails with its attempt, and its connection is closed") {
                FaultServer(Fault.NONE, Replies.stall(), Fault.STALLED_CHUNKS, Fault.NONE).use { server ->
                    boot.withPropertyValues("spring.http.clients.reactive.connector=$connector").run { context ->
                        val builder = context.getBean(WebClient.Builder::class.java)
                        // Loads the classes, which takes longer than an attempt may.
                        builder.clone().build().get(server)
                        val retries = HttpRetries.of(context.getBean(RetryRegistry::class.java), "http")
                        val client = builder.filter(RetryExchangeFilter(retries)).build()
                        val thrown = shouldThrow<Exception> { client.get(server) }
                        generateSequence<Throwable>(thrown) { it.cause }.any { it is AttemptTimeoutException } shouldBe
                            true
                        client.get(server) shouldBe Fault.BODY
                        runBlocking { eventually(10.seconds) { server.openConnections() shouldBeLessThan 2 } }
                    }
                }
            }
        }
    })
