package dev.reprise.spring.method

import dev.reprise.core.RetryPolicy
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.runTest
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

/** Counts its calls; all fail. */
abstract class Failing {
    var calls = 0

    fun calls(call: () -> Unit): Int {
        calls = 0
        shouldThrow<IllegalStateException> { call() }
        return calls
    }

    protected fun fail(): Nothing {
        calls++
        throw IllegalStateException()
    }
}

class First {
    open class Client : Failing() {
        @Retryable(maxRetries = 3, delay = 0)
        open fun send(): Unit = fail()
    }
}

class Second {
    open class Client : Failing() {
        @Retryable(maxRetries = 0, delay = 0)
        open fun send(): Unit = fail()
    }
}

open class HalfPublic : Failing() {
    @Retryable(maxRetries = 2, delay = 0)
    open fun send(text: String): Unit = fail()

    @Retryable(maxRetries = 0, delay = 0)
    protected open fun send(number: Int): Unit = fail()

    fun sendNumber(to: HalfPublic) = to.send(1)
}

abstract class Inherited : Failing() {
    @Retryable(maxRetries = 1, delay = 0)
    open fun send(): Unit = fail()
}

open class OneHeir : Inherited()

open class OtherHeir : Inherited()

private fun takenOver(vararg types: Class<*>, registry: RetryRegistry = RetryRegistry()) =
    AnnotationConfigApplicationContext().apply {
        beanFactory.registerSingleton("registry", registry)
        register(Resilient::class.java, RetryableTakeOver::class.java, RepriseConfiguration::class.java, *types)
        refresh()
    }

class TakeOverTest :
    FunSpec({
        test("a suspend function with @Retryable is retried, which Framework does not do") {
            takenOver(Letters::class.java).use { context ->
                runTest { context.getBean(Letters::class.java).send() shouldBe "sent" }
            }
        }

        test("a policy of the method's name in the registry replaces the annotation's attributes") {
            takenOver(
                Letters::class.java,
                registry = RetryRegistry(mapOf("Letters.send" to FOUR.with { maxAttempts = 1 })),
            ).use { runTest { shouldThrow<IllegalStateException> { it.getBean(Letters::class.java).send() } } }
        }

        test("overloaded methods have a retrier each") {
            val registry = RetryRegistry()
            takenOver(Overloaded::class.java, registry = registry).close()

            registry.policy("Overloaded.send(String)").maxAttempts shouldBe 2
            registry.policy("Overloaded.send(int)").maxAttempts shouldBe 3
        }

        test("classes of one simple name have the attributes of each, whichever is made first") {
            val types = listOf(First.Client::class.java, Second.Client::class.java)
            for (order in listOf(types, types.reversed())) {
                val registry = RetryRegistry()
                takenOver(*order.toTypedArray(), registry = registry).use { context ->
                    val first = context.getBean(First.Client::class.java)
                    val second = context.getBean(Second.Client::class.java)

                    targetOf(first).calls { first.send() } shouldBe 4
                    targetOf(second).calls { second.send() } shouldBe 1
                    (registry.names - setOf("default", "http")) shouldBe
                        setOf("Client.send", "dev.reprise.spring.method.Second\$Client.send")
                }
            }
        }

        test("a policy of the user's replaces the attributes by the short name of all, or the full name of one") {
            val registry = RetryRegistry(
                mapOf(
                    "Client.send" to RetryPolicy.ANY_EXCEPTION.with {
                        maxAttempts = 2
                        noBackoff()
                    },
                    "dev.reprise.spring.method.First\$Client.send" to RetryPolicy.NONE,
                ),
            )
            takenOver(First.Client::class.java, Second.Client::class.java, registry = registry).use { context ->
                val first = context.getBean(First.Client::class.java)
                val second = context.getBean(Second.Client::class.java)

                targetOf(first).calls { first.send() } shouldBe 1
                targetOf(second).calls { second.send() } shouldBe 2
            }
        }

        test("overloaded methods that are not all public have the attributes of each") {
            takenOver(HalfPublic::class.java).use { context ->
                val bean = context.getBean(HalfPublic::class.java)

                targetOf(bean).calls { bean.send("a") } shouldBe 3
                targetOf(bean).calls { targetOf(bean).sendNumber(bean) } shouldBe 1
            }
        }

        test("a method that two classes inherit has a retrier for each from the start") {
            val registry = RetryRegistry()
            takenOver(OneHeir::class.java, OtherHeir::class.java, registry = registry).close()

            registry.names shouldContainAll listOf("OneHeir.send", "OtherHeir.send")
        }

        test("both annotations on one method are refused as before, and so is a final method") {
            for ((type, words) in mapOf(
                Twice::class.java to "there is @org.springframework.resilience.annotation.Retryable too",
                FinalRetryable::class.java to "the method is final",
            )) {
                refusal { takenOver(type) } shouldContain words
            }
        }
    })

open class FinalRetryable {
    @Retryable
    fun call() = 1

    @Retry
    open fun other() = 2
}
