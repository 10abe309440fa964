package dev.reprise.spring.method

import dev.reprise.spring.Retry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.springframework.beans.factory.BeanCreationException
import org.springframework.beans.factory.config.BeanDefinitionCustomizer
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.resilience.annotation.Retryable
import org.springframework.transaction.annotation.Transactional
import reactor.core.publisher.Flux
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Future

@Retry
class FinalClass {
    fun call() = 1
}

open class FinalMethod {
    @Retry
    fun call() = 1
}

open class FinalWithDefaults {
    @Retry
    @JvmOverloads
    fun call(number: Int = 1) = number
}

open class PrivateMethod {
    @Retry
    private fun call() = 1

    open fun other() = call()
}

open class Twice {
    @Retry
    @Retryable
    open fun call() = 1
}

@Retryable
open class TwiceByClass {
    @Retry
    open fun call() = 1
}

open class UnknownName {
    @Retry("fuor")
    open fun call() = 1
}

open class PlainFuture {
    @Retry
    open fun call(): Future<Int> = CompletableFuture.completedFuture(1)
}

open class SuspendFlux {
    @Retry
    open suspend fun call(): Flux<Int> = Flux.just(1)
}

interface Port {
    fun call(): Int
}

@Retry
class FinalBehindInterface : Port {
    override fun call() = 1
}

open class TwiceInTransaction : Port {
    @Retry
    @Retryable
    @Transactional
    override fun call() = 1
}

open class UnknownInTransaction : Port {
    @Retry("fuor")
    @Transactional
    override fun call() = 1
}

interface FuturePort {
    fun call(): Future<Int>
}

@Retry
open class FutureInTransaction : FuturePort {
    @Transactional
    override fun call(): Future<Int> = CompletableFuture.completedFuture(1)
}

/** Why the context that [start] starts does not start, in the words of all causes. */
internal fun refusal(start: () -> Unit): String =
    generateSequence<Throwable>(shouldThrow<BeanCreationException>(start)) { it.cause }
        .joinToString { it.message.orEmpty() }

class RefusalsTest :
    FunSpec({
        for ((type, words) in mapOf(
            FinalClass::class.java to "the class is final",
            FinalMethod::class.java to "FinalMethod.call: the method is final",
            FinalWithDefaults::class.java to "FinalWithDefaults.call: the method is final",
            PrivateMethod::class.java to "PrivateMethod.call: a private method is not called through the proxy",
            Twice::class.java to "there is @org.springframework.resilience.annotation.Retryable too",
            TwiceByClass::class.java to "there is @org.springframework.resilience.annotation.Retryable too",
            UnknownName::class.java to
                "there is no retry policy 'fuor'; there are: default, four, hourly, http, judged, timed, two",
            SuspendFlux::class.java to "leave suspend out, or return a Flow",
            PlainFuture::class.java to "a Future is not known to retries; return a CompletableFuture",
        )) {
            test("${type.simpleName} is refused at start") { refusal { contextOf(type) } shouldContain words }
        }

        for ((type, words) in mapOf(
            TwiceInTransaction::class.java to "there is @org.springframework.resilience.annotation.Retryable too",
            UnknownInTransaction::class.java to "there is no retry policy 'fuor'",
            FutureInTransaction::class.java to "a Future is not known to retries",
        )) {
            test("${type.simpleName}, of which @Transactional has made a proxy, is refused at start") {
                refusal { contextOf(Transactions::class.java, type) } shouldContain words
            }
        }

        test("a bean that is made later is refused each time it is asked for, and no other bean for its sake") {
            contextOf().use { context ->
                for (type in listOf(UnknownName::class.java, Service::class.java)) {
                    context.registerBean(type, BeanDefinitionCustomizer { it.isLazyInit = true })
                }
                repeat(2) {
                    shouldThrow<BeanCreationException> {
                        context.getBean(UnknownName::class.java)
                    }.message shouldContain "there is no retry policy 'fuor'"
                    context.getBean(Service::class.java).plain() shouldBe "done at 3"
                    targetOf(context.getBean(Service::class.java)).calls = 0
                }
            }
        }

        test("a final class behind an interface is fine") {
            contextOf(FinalBehindInterface::class.java).use { it.getBean(Port::class.java).call() shouldBe 1 }
        }

        test("without a registry the context does not start, and says so") {
            @EnableReprise
            class Bare

            val refusal = shouldThrow<BeanCreationException> {
                AnnotationConfigApplicationContext(Bare::class.java, Service::class.java)
            }

            refusal.message shouldContain "needs a bean of the type dev.reprise.spring.RetryRegistry"
        }
    })
