package dev.reprise.spring.boot

import dev.reprise.spring.RetryRegistry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
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

        test("a policy in the properties, its name in brackets, replaces the attributes") {
            val property = "reprise.policies.[Letters.send].preset=none"
            runner.withPropertyValues("reprise.take-over-retryable=true", property).run { context ->
                val letters = context.getBean(Letters::class.java)

                runCatching { letters.send() }.isFailure shouldBe true

                AopTestUtils.getUltimateTargetObject<Letters>(letters).calls shouldBe 1
            }
        }
    })
