package dev.reprise.spring.method

import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.runTest
import org.springframework.beans.factory.BeanCreationException
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.resilience.annotation.EnableResilientMethods
import org.springframework.resilience.annotation.Retryable

@EnableResilientMethods
open class Resilient

open class Letters {
    var calls = 0

    @Retryable(maxRetries = 2)
    open suspend fun send(): String {
        delay(1)
        if (++calls < 3) throw IllegalStateException("attempt $calls")
        return "sent"
    }
}

open class Overloaded {
    @Retryable(maxRetries = 1)
    open fun send(text: String) = text

    @Retryable(maxRetries = 2)
    open fun send(number: Int) = number
}

private fun contextOf(type: Class<*>, registry: RetryRegistry = RetryRegistry()) =
    AnnotationConfigApplicationContext().apply {
        beanFactory.registerSingleton("registry", registry)
        register(Resilient::class.java, RetryableTakeOver::class.java, RepriseConfiguration::class.java, type)
        refresh()
    }

class TakeOverTest :
    FunSpec({
        test("a suspend function with @Retryable is retried, which Framework does not do") {
            contextOf(Letters::class.java).use { context ->
                runTest { context.getBean(Letters::class.java).send() shouldBe "sent" }
            }
        }

        test("a policy of the method's name in the registry replaces the annotation's attributes") {
            contextOf(Letters::class.java, RetryRegistry(mapOf("Letters.send" to FOUR.with { maxAttempts = 1 }))).use {
                runTest { shouldThrow<IllegalStateException> { it.getBean(Letters::class.java).send() } }
            }
        }

        test("overloaded methods have a retrier each") {
            val registry = RetryRegistry()
            contextOf(Overloaded::class.java, registry).close()

            registry.policy("Overloaded.send(String)").maxAttempts shouldBe 2
            registry.policy("Overloaded.send(int)").maxAttempts shouldBe 3
        }

        test("both annotations on one method are refused as before, and so is a final method") {
            for ((type, words) in mapOf(
                Twice::class.java to "there is @org.springframework.resilience.annotation.Retryable too",
                FinalRetryable::class.java to "the method is final",
            )) {
                val refusal = shouldThrow<BeanCreationException> { contextOf(type) }
                generateSequence<Throwable>(refusal) { it.cause }.joinToString { it.message.orEmpty() } shouldContain
                    words
            }
        }
    })

open class FinalRetryable {
    @Retryable
    fun call() = 1

    @Retry
    open fun other() = 2
}
