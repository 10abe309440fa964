package dev.reprise.spring.method

import dev.reprise.core.RetryEvent
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.test.runTest
import org.aopalliance.intercept.MethodInterceptor
import org.springframework.aop.framework.ProxyFactory
import org.springframework.beans.factory.BeanCreationException
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.resilience.annotation.Retryable
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.support.WebClientAdapter
import org.springframework.web.service.annotation.GetExchange
import org.springframework.web.service.invoker.HttpServiceProxyFactory
import reactor.core.publisher.Mono
import java.io.UncheckedIOException
import java.net.ConnectException
import java.util.function.Supplier

interface Crud {
    fun save(row: String): String

    fun load(row: String): String
}

@Retry("four")
interface FourTimes : Crud {
    @Retry("two")
    override fun load(row: String): String

    fun find(): String
}

@Retry("two")
interface TwoTimes : Crud

interface Plain : Crud

interface Found {
    @Retry("two")
    fun find(): String
}

@Retryable(maxRetries = 2, delay = 0)
interface Taken : Crud

@Retry("fuor")
interface Typo : Crud

/** What all repositories have in common, as Spring Data's `SimpleJpaRepository`. */
class Rows : Crud {
    var calls = 0

    override fun save(row: String): String = fail()

    override fun load(row: String): String = fail()

    fun fail(): Nothing = throw UncheckedIOException(ConnectException("call ${++calls}"))

    override fun toString() = "rows"
}

interface Exchange {
    @GetExchange("/")
    fun get(): String
}

@Retry("four")
interface RetriedExchange : Exchange {
    @GetExchange("/")
    suspend fun getLater(): String
}

/** Beans as repositories are: a proxy has an interface that its target does not implement, and an interceptor does the rest. */
private class Repositories(vararg types: Class<*>) : AutoCloseable {
    val operations = mutableListOf<String?>()
    val targets = types.associateWith { Rows() }
    val context = AnnotationConfigApplicationContext().apply {
        val listens = RetryConfigurer { _, builder ->
            builder.listener { if (it is RetryEvent.CallGaveUp) operations += it.operation }
        }
        val policies = mapOf("four" to FOUR, "two" to FOUR.with { maxAttempts = 2 })
        registerBean(RetryRegistry::class.java, policies, listOf(listens))
        register(RepriseConfiguration::class.java, RetryableTakeOver::class.java)
        for ((type, target) in targets) registerRepository(type, target)
        refresh()
    }

    private fun <T : Any> AnnotationConfigApplicationContext.registerRepository(type: Class<T>, target: Rows) =
        registerBean(
            type,
            Supplier {
                val factory = ProxyFactory(target)
                factory.setInterfaces(type)
                factory.addAdvice(
                    MethodInterceptor { if (it.method.declaringClass == type) target.fail() else it.proceed() },
                )
                type.cast(factory.proxy)
            },
        )

    inline fun <reified T : Any> of(): T = context.getBean(T::class.java)

    inline fun <reified T : Any> calls(call: (T) -> Unit): Int {
        val target = targets.getValue(T::class.java)
        target.calls = 0
        shouldThrow<UncheckedIOException> { call(of<T>()) }
        return target.calls
    }

    override fun close() = context.close()
}

class InterfacesTest :
    FunSpec({
        test("an interface that only the proxy has is retried, with the methods that it inherits") {
            Repositories(FourTimes::class.java, Found::class.java).use {
                it.calls<FourTimes> { repository -> repository.save("a") } shouldBe 4
                it.calls<FourTimes> { repository -> repository.find() } shouldBe 4
                it.calls<FourTimes> { repository -> repository.load("a") } shouldBe 2
                it.calls<Found> { repository -> repository.find() } shouldBe 2
                it.operations shouldContainExactly
                    listOf("FourTimes.save", "FourTimes.find", "FourTimes.load", "Found.find")
            }
        }

        test("interfaces over targets of one class have the policy of each") {
            Repositories(FourTimes::class.java, TwoTimes::class.java, Plain::class.java).use {
                it.calls<FourTimes> { repository -> repository.save("a") } shouldBe 4
                it.calls<TwoTimes> { repository -> repository.save("a") } shouldBe 2
                it.calls<Plain> { repository -> repository.save("a") } shouldBe 1
            }
        }

        test("Framework's annotation on such an interface is taken over") {
            Repositories(Taken::class.java).use { it.calls<Taken> { repository -> repository.save("a") } shouldBe 3 }
        }

        test("toString, equals and hashCode are no calls to retry") {
            Repositories(FourTimes::class.java, Taken::class.java).use {
                for (repository in listOf(it.of<FourTimes>(), it.of<Taken>())) {
                    repository.toString() shouldBe "rows"
                    (repository == repository) shouldBe true
                    repository.hashCode() shouldBe repository.hashCode()
                }
            }
        }

        test("a name that is unknown, on an interface that only the proxy has, is refused at start") {
            shouldThrow<BeanCreationException> { Repositories(Typo::class.java) }.message shouldContain
                "there is no retry policy 'fuor'"
        }

        test("an HTTP service client is retried, with the methods that it inherits") {
            AnnotationConfigApplicationContext(Policies::class.java).use { context ->
                var sent = 0
                val client = WebClient.builder().exchangeFunction {
                    Mono.error(ConnectException("request ${++sent}"))
                }.build()
                val exchange = HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client)).build()
                    .createClient(RetriedExchange::class.java)
                val bean = context.beanFactory.initializeBean(exchange, "exchange")
                    as RetriedExchange

                shouldThrow<Exception> { bean.get() }
                sent shouldBe 4
                runTest { shouldThrow<Exception> { bean.getLater() } }
                sent shouldBe 8
            }
        }
    })
