package dev.reprise.spring.boot

import dev.reprise.build.logged
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.faults.Fault
import dev.reprise.faults.FaultServer
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.web.client.HttpServerErrorException
import org.springframework.web.service.registry.ImportHttpServices
import java.net.ConnectException

@Configuration(proxyBeanMethods = false)
@ImportHttpServices(group = "orders", types = [OrdersApi::class])
private open class Groups

class EarlyClient(val orders: OrdersApi)

@Configuration(proxyBeanMethods = false)
open class SetsPolicy(registry: RetryRegistry) {
    init {
        val twice = RetryPolicy.HTTP.with {
            maxAttempts = 2
            noBackoff()
        }
        registry.update(mapOf("late" to twice))
    }
}

@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@ImportHttpServices(group = "orders", types = [OrdersApi::class])
@Import(EarlyClient::class, SetsPolicy::class)
open class LatePolicy

class WrongNamesTest :
    FunSpec({
        val runner = ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(RepriseAutoConfiguration::class.java, ClientAutoConfiguration::class.java),
        ).withUserConfiguration(Groups::class.java).withPropertyValues("reprise.policies.orders.preset=http")

        fun warnings(vararg properties: String): List<String> = logged("dev.reprise") {
            runner.withPropertyValues(*properties).run { it.startupFailure shouldBe null }
        }.filter { "reprise." in it.message }.map { "${it.level} ${it.message.substringBefore(" policies")}" }

        test("right names tell nothing, however they are spelt") {
            warnings(
                "reprise.clients.orders.policy=orders",
                "reprise.takeOverRetryable=false",
                "reprise.metrics.max-operations=1",
                "reprise.metrics.histograms=true",
                "reprise.upstream.enabled=false",
                "reprise.policies.other.backoff.cap=1h",
                "reprise.policies.other.preset=http",
            ) shouldBe emptyList()
        }

        test("a policy of a group that is not there is told, with those that are") {
            warnings("reprise.clients.ordes.policy=orders") shouldContainExactly
                listOf("WARNING reprise.clients.ordes.policy: no such HTTP service group, there are orders")
        }

        test("a client's policy that is not there stops the start, by the property's name") {
            runner.withPropertyValues("reprise.clients.orders.policy=ordes").run { context ->
                generateSequence(context.startupFailure) { it.cause }.last().message shouldBe
                    "reprise.clients.orders.policy: must be one of default, http, orders: \"ordes\""
            }
        }

        test("a client's policy may be one that a configuration sets, which is made after the client") {
            FaultServer(Fault.UNAVAILABLE).use { server ->
                SpringApplicationBuilder(LatePolicy::class.java).web(WebApplicationType.NONE).properties(
                    "spring.main.banner-mode=off",
                    "logging.level.root=WARN",
                    "spring.datasource.url=jdbc:h2:mem:late",
                    "spring.http.serviceclient.orders.base-url=${server.uri()}",
                    "reprise.clients.orders.policy=late",
                ).run().use { context ->
                    val orders = context.getBean(EarlyClient::class.java).orders
                    shouldThrow<HttpServerErrorException> { orders.get() }
                    server.served() shouldBe 2
                }
            }
        }

        test("a property that nothing reads is told") {
            for (name in listOf(
                "reprise.take-over-retriable",
                "reprise.clients.orders.polcy",
                "reprise.policy.a.preset",
            )) {
                warnings("$name=x").map { it.substringBefore(", there are") } shouldContainExactly
                    listOf("WARNING $name: no such property")
            }
        }

        test("a wrong setting of the metrics stops the start, by the property's name") {
            runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration::class.java))
                .withBean(SimpleMeterRegistry::class.java)
                .withPropertyValues("reprise.metrics.max-operations=-1").run { context ->
                    val failure = generateSequence(context.startupFailure) { it.cause }.last()
                    failure.message shouldBe "reprise.metrics.max-operations: must not be negative: -1"
                }
        }

        test("the quota's gauges show the host with the least left") {
            runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration::class.java))
                .withBean(SimpleMeterRegistry::class.java).run { context ->
                    val registry = context.getBean(RetryRegistry::class.java)
                    val meters = context.getBean(SimpleMeterRegistry::class.java)
                    fun tokens(client: String) =
                        meters.get("reprise.quota.available").tag("client", client).gauge().value()
                    registry.forHost("orders", "a:80").retrier().quota!!.tryTake(100, null)
                    registry.forHost("orders", "b:80").retrier().quota!!.tryTake(400, null)

                    tokens("orders/http") shouldBe 100.0
                    tokens("orders") shouldBe 500.0
                }
        }

        test("the send rate's gauges show the host with the lowest rate") {
            runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration::class.java))
                .withBean(SimpleMeterRegistry::class.java).run { context ->
                    val registry = context.getBean(RetryRegistry::class.java)
                    val meters = context.getBean(SimpleMeterRegistry::class.java)
                    fun gauge(name: String) = meters.get(name).tag("client", "orders/http").gauge().value()
                    registry.update(mapOf("orders" to RetryPolicy.HTTP.with { sendRate = SendRateSettings.EXACT }))
                    val busy = registry.forHost("orders", "a:80").retrier().sendRate!!
                    val slow = registry.forHost("orders", "b:80").retrier().sendRate!!
                    gauge("reprise.send.rate").isNaN() shouldBe true
                    val start = System.nanoTime()
                    repeat(40) { busy.record(throttled = it == 39, start, start + 1_000_000_000L * (it / 20 + 1)) }
                    gauge("reprise.send.rate") shouldBe busy.sendRate
                    slow.record(throttled = true, start, start + 2_000_000_000L)

                    gauge("reprise.send.rate") shouldBe slow.sendRate
                    gauge("reprise.measured.rate") shouldBe slow.measuredRate
                    (busy.sendRate!! > slow.sendRate!!) shouldBe true
                }
        }

        test(
            "a retried method and the requests that it makes are measured and listed apart, so each counts its own calls",
        ) {
            runner.withConfiguration(
                AutoConfigurations.of(MetricsAutoConfiguration::class.java),
            ).withBean(SimpleMeterRegistry::class.java).withBean(GiveUps::class.java).run { context ->
                val registry = context.getBean(RetryRegistry::class.java)
                registry.update(mapOf("orders" to RetryPolicy.HTTP.with { backoff = Backoff.IMMEDIATE }))
                val method = registry["orders"]
                val client = registry.forHost("orders", "a:80")
                repeat(10) {
                    var requests = 0
                    method.call<Any?, Exception> {
                        client.call<Any?, Exception> {
                            if (++requests < 3) throw ConnectException("refused") else "found"
                        }
                    }
                }
                repeat(3) {
                    runCatching {
                        method.call<Any?, Exception> {
                            client.call<Any?, Exception> { throw ConnectException("refused") }
                        }
                    }
                }
                val meters = context.getBean(SimpleMeterRegistry::class.java)
                fun sum(name: String, client: String) =
                    meters.find(name).tag("client", client).counters().sumOf { it.count() }
                sum("reprise.calls", "orders") shouldBe 13.0
                sum("reprise.calls", "orders/http") shouldBe 13.0
                sum("reprise.retries", "orders") shouldBe 0.0
                sum("reprise.retries", "orders/http") shouldBe 26.0
                val giveUps = context.getBean(GiveUps::class.java)
                giveUps.of("orders") shouldHaveSize 3
                giveUps.of("orders/http") shouldHaveSize 3
            }
        }

        test("one property puts what the retriers do into the log") {
            fun logOf(vararg properties: String): List<String> {
                val lines = mutableListOf<String>()
                runner.withPropertyValues(*properties).run { context ->
                    val retrier = context.getBean(RetryRegistry::class.java)["orders"]
                    lines += logged("dev.reprise") {
                        runCatching { retrier.call<Any?, Exception> { throw ConnectException("refused") } }
                    }.map { it.message }
                }
                return lines
            }
            logOf("reprise.policies.orders.backoff.base=1ms").filter { "gave up" in it }.shouldBeEmpty()
            logOf("reprise.logging=true", "reprise.policies.orders.backoff.base=1ms").filter { "gave up" in it }
                .shouldHaveSize(1)
        }
    })
