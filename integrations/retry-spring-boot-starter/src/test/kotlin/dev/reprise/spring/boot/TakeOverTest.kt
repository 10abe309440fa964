package dev.reprise.spring.boot

import dev.reprise.core.RetryPolicy
import dev.reprise.spring.RetryRegistry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.micrometer.core.instrument.simple.SimpleMeterRegistry
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.core.env.MapPropertySource
import org.springframework.resilience.annotation.EnableResilientMethods
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor
import org.springframework.resilience.annotation.Retryable
import org.springframework.test.util.AopTestUtils

@EnableResilientMethods
open class Letters {
    var calls = 0

    @Retryable(maxRetries = 1, delay = 0)
    open fun send() {
        calls++
        throw IllegalStateException()
    }
}

class TakeOverTest :
    FunSpec({
        val runner = ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration::class.java))
            .withUserConfiguration(Letters::class.java)

        test("Framework's annotation is left to Framework, unless a property says that it is taken over") {
            for ((value, isTaken) in mapOf("false" to false, "true" to true)) {
                runner.withPropertyValues("reprise.take-over-retryable=$value").run { context ->
                    runCatching { context.getBean(Letters::class.java).send() }.isFailure shouldBe true
                    ("Letters.send" in context.getBean(RetryRegistry::class.java).names) shouldBe isTaken
                    context.getBeansOfType(RetryAnnotationBeanPostProcessor::class.java).isEmpty() shouldBe isTaken
                }
            }
        }

        test(
            "the quota of a method that is taken over is shown, and of policies that a refresh adds, changes or takes away",
        ) {
            runner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration::class.java))
                .withBean(SimpleMeterRegistry::class.java)
                .withPropertyValues("reprise.take-over-retryable=true", "reprise.policies.orders.preset=none")
                .run { context ->
                    val meters = context.getBean(SimpleMeterRegistry::class.java)

                    fun tokens(client: String) =
                        meters.find("reprise.quota.capacity").tag("client", client).gauge()?.value()

                    fun refresh(vararg properties: Pair<String, Any>) {
                        context.environment.propertySources.addFirst(MapPropertySource("later", properties.toMap()))
                        context.getBean(RetryPolicyRefresh::class.java).refresh()
                    }
                    tokens("Letters.send") shouldBe 500.0
                    tokens("orders") shouldBe null

                    refresh("reprise.policies.orders.preset" to "http", "reprise.policies.more.preset" to "http")
                    tokens("orders") shouldBe 500.0
                    tokens("more") shouldBe 500.0

                    refresh("reprise.policies.more.preset" to "none")
                    tokens("orders") shouldBe null
                    tokens("more") shouldBe null
                }
        }

        test(
            "a refresh takes an override back: of a built-in policy, of the code's and of a method that is taken over",
        ) {
            val coded = RetryPolicy { maxAttempts = 5 }
            runner.withPropertyValues("reprise.take-over-retryable=true").withInitializer { context ->
                val names = listOf("http", "coded", "[Letters.send]", "only")
                val properties = names.associate { "reprise.policies.$it.max-attempts" to "9" }
                context.environment.propertySources.addFirst(MapPropertySource("overrides", properties))
            }.run { context ->
                val registry = context.getBean(RetryRegistry::class.java)
                fun attempts() = registry.names.associateWith { registry.policy(it).maxAttempts }
                attempts() shouldBe mapOf("Letters.send" to 9, "coded" to 9, "default" to 3, "http" to 9, "only" to 9)
                registry.update(mapOf("coded" to coded))

                context.environment.propertySources.remove("overrides")
                context.getBean(RetryPolicyRefresh::class.java).refresh()

                attempts() shouldBe mapOf("Letters.send" to 2, "coded" to 5, "default" to 3, "http" to 3, "only" to 9)
            }
        }

        test("a policy in the properties, its name in brackets, replaces the attributes") {
            val property = "reprise.policies.[Letters.send].preset=none"
            runner.withPropertyValues("reprise.take-over-retryable=true", property).run { context ->
                val letters = context.getBean(Letters::class.java)

                runCatching { letters.send() }.isFailure shouldBe true

                AopTestUtils.getUltimateTargetObject<Letters>(letters).calls shouldBe 1
            }
        }
    })
