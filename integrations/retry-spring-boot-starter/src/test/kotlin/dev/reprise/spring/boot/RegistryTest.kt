package dev.reprise.spring.boot

import dev.reprise.build.logged
import dev.reprise.core.RetryPolicy
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.springframework.beans.factory.ObjectProvider
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.env.MapPropertySource
import org.springframework.core.env.StandardEnvironment
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor
import org.springframework.test.util.AopTestUtils
import java.lang.Thread.State.BLOCKED
import java.lang.Thread.State.TERMINATED
import java.lang.Thread.State.WAITING
import kotlin.concurrent.thread

private val POLICIES = mapOf("orders" to RetryPolicy { maxAttempts = 5 }, "coded" to RetryPolicy { maxAttempts = 4 })

@Configuration(proxyBeanMethods = false)
open class BareRegistry {
    @Bean
    open fun registry() = RetryRegistry(POLICIES)
}

@Configuration(proxyBeanMethods = false)
open class ConfiguredRegistry {
    @Bean
    open fun registry(configurers: ObjectProvider<RetryConfigurer>) = RetryRegistry(POLICIES, configurers.toList())
}

class RegistryTest :
    FunSpec({
        val runner = ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration::class.java))
            .withPropertyValues("reprise.policies.orders.max-attempts=7", "reprise.policies.more.max-attempts=9")

        test("the properties lie over a registry of the application's own from the start, as after a refresh") {
            runner.withUserConfiguration(BareRegistry::class.java).run { context ->
                val registry = context.getBean(RetryRegistry::class.java)
                fun attempts() = listOf("orders", "more", "coded").map { registry[it].policy().maxAttempts }

                attempts() shouldBe listOf(7, 9, 4)
                context.getBean(RetryPolicyRefresh::class.java).refresh()
                attempts() shouldBe listOf(7, 9, 4)
            }
        }

        test("of two refreshes at once the older reading is not laid over last") {
            val registry = RetryRegistry()
            val first = Thread.currentThread()
            lateinit var refresh: RetryPolicyRefresh
            var second: Thread? = null
            val source = object : MapPropertySource("changing", mapOf("reprise.policies.orders.max-attempts" to 5)) {
                override fun getProperty(name: String): Any? {
                    val old = super.getProperty(name)
                    if (old == null || Thread.currentThread() != first) return old?.let { 7 }
                    // The source changes once the first refresh has read it, and another one begins.
                    val other = second ?: thread { refresh.refresh() }.also { second = it }
                    while (other.state !in setOf(BLOCKED, WAITING, TERMINATED)) Thread.onSpinWait()
                    return old
                }
            }
            val environment = StandardEnvironment().apply { propertySources.addFirst(source) }
            refresh = RetryPolicyRefresh(environment, registry)

            refresh.refresh()
            second!!.join()

            registry.policy("orders").maxAttempts shouldBe 7
        }

        test("a registry that configurers do not reach, since it was made without them, is told") {
            fun warnings(registry: Class<*>?, configurer: RetryConfigurer?) = logged("dev.reprise") {
                var used = runner
                if (registry != null) used = used.withUserConfiguration(registry)
                if (configurer != null) used = used.withBean("audit", RetryConfigurer::class.java, { configurer })
                used.run { it.startupFailure shouldBe null }
            }.map { "${it.level} ${it.message}" }

            val audit = RetryConfigurer { _, _ -> }
            warnings(BareRegistry::class.java, audit) shouldContainExactly listOf(
                "WARNING registry has not all beans of the type RetryConfigurer: pass them to its constructor (audit)",
            )
            warnings(BareRegistry::class.java, null) shouldBe emptyList()
            warnings(ConfiguredRegistry::class.java, audit) shouldBe emptyList()
            warnings(null, audit) shouldBe emptyList()
        }

        test("methods are retried in a child of a context that has the starter as well, by the parent's registry") {
            fun finds(context: AssertableApplicationContext) = context.getBean(Parcels::class.java).find() shouldBe 3
            runner.withBean(Parcels::class.java).run { parent ->
                finds(parent)
                runner.withParent(parent).withBean(Parcels::class.java).run { child ->
                    finds(child)
                    child.getBean(RetryRegistry::class.java) shouldBe parent.getBean(RetryRegistry::class.java)
                }
            }
        }

        test(
            "Framework's annotation is taken over in a child of such a context if the child says so, and retried once",
        ) {
            val letters = runner.withUserConfiguration(Letters::class.java)
            letters.withPropertyValues("reprise.take-over-retryable=true").run { parent ->
                for (isTaken in listOf(true, false)) {
                    letters.withPropertyValues("reprise.take-over-retryable=$isTaken").withParent(parent).run { child ->
                        val bean = child.getBean(Letters::class.java)
                        runCatching { bean.send() }.isFailure shouldBe true
                        AopTestUtils.getUltimateTargetObject<Letters>(bean).calls shouldBe 2
                        child.getBeansOfType(RetryAnnotationBeanPostProcessor::class.java).isEmpty() shouldBe isTaken
                    }
                }
            }
        }
    })
