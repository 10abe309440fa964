package dev.reprise.spring.method

import dev.reprise.core.DeadlineException
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryTrace
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.withDeadline
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.springframework.cache.annotation.Cacheable
import org.springframework.cache.annotation.EnableCaching
import org.springframework.cache.concurrent.ConcurrentMapCacheManager
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.resilience.annotation.Retryable
import reactor.core.Exceptions
import reactor.core.publisher.Mono
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** How a kind of method is called, and what it returns in the end. */
private val KINDS: Map<String, suspend (Service) -> String> =
    mapOf(
        "plain" to { it.plain() },
        "future" to { it.future().get() },
        "stage" to { it.stage().toCompletableFuture().get() },
        "suspend" to { it.suspending("").trim() },
        "Mono" to { it.mono().block()!! },
        "Flux" to { it.flux(false).collectList().block()!!.single() },
        "flow" to { it.elements(false).toList().single() },
        "suspend flow" to { it.laterElements(false).toList().single() },
        "future that fails at once" to { it.eagerFuture().get() },
        "Mono that fails at once" to { it.eagerMono().block()!! },
        "Flux that fails at once" to { it.eagerFlux().collectList().block()!!.single() },
        "flow that fails at once" to { it.eagerElements().toList().single() },
    )

open class Defaults {
    var calls = 0

    @Retry("four")
    @JvmOverloads
    open fun find(id: String, number: Int = 7, text: String = "b"): String {
        if (++calls < 3) throw ConnectException("call $calls")
        return "$id $number $text"
    }

    @Retryable(maxRetries = 3, delay = 0)
    @JvmOverloads
    open fun findTaken(id: String, number: Int = 7): String = find(id, number)
}

/** The cache holds the result itself, not a `Mono` of it. */
open class Cached {
    private var calls = 0

    @Retry("four")
    @Cacheable("names")
    open suspend fun find(name: String): String {
        delay(1.milliseconds)
        return if (++calls < 3) throw ConnectException("call $calls") else "$name at $calls"
    }
}

@Configuration(proxyBeanMethods = false)
@EnableCaching
open class Caches {
    @Bean
    open fun cacheManager() = ConcurrentMapCacheManager()
}

open class Offered {
    private var calls = 0

    @Retry("four")
    open fun find(): String = if (++calls < 3) throw ConnectException("call $calls") else "done at $calls"
}

/** One bean of two definitions, as one that is also offered by an interface of its. */
@Configuration(proxyBeanMethods = false)
open class TwoDefinitions {
    @Bean
    open fun bean() = Offered()

    @Bean
    open fun offered(bean: Offered): Any = bean
}

/** A parent of services, each of which returns a type of its own. */
abstract class Parent<T : Any> {
    var calls = 0

    protected abstract fun once(): T

    @Retry("four")
    open fun find(): T = once()

    protected fun step(): String = if (++calls < 3) throw ConnectException("call $calls") else "done"
}

open class MonoHeir : Parent<Mono<String>>() {
    override fun once(): Mono<String> = Mono.fromCallable(::step)
}

open class FutureHeir : Parent<CompletableFuture<String>>() {
    override fun once(): CompletableFuture<String> = CompletableFuture.supplyAsync(::step, Runnable::run)
}

class MethodsTest :
    FunSpec({
        val context = contextOf(Service::class.java)
        val service = context.getBean(Service::class.java)
        val target = targetOf(service)

        afterSpec { context.close() }

        beforeTest {
            target.calls = 0
            target.failures = 2
            target.below = null
            target.timesOut = false
            target.contexts.clear()
            target.threadLocals.clear()
        }

        for ((kind, call) in KINDS) {
            test("a $kind method is called until it succeeds, or as often as the policy says") {
                checkAll(20, Arb.int(0..6)) { failures ->
                    target.calls = 0
                    target.failures = failures
                    val end = runCatching { runTestNow { call(service) } }

                    target.calls shouldBe minOf(failures + 1, 4)
                    end.isSuccess shouldBe (failures < 4)
                    if (failures < 4) end.getOrThrow() shouldBe "done at ${failures + 1}"
                }
            }

            test("a $kind method whose own withTimeout runs out is called again") {
                target.timesOut = true

                runTestNow { call(service) } shouldBe "done at 3"
            }

            test("a $kind method leaves a failure alone that was retried below") {
                target.failures = 99
                target.below = Retrier(FOUR.with { maxAttempts = 3 })

                runCatching { runTestNow { call(service) } }.isFailure shouldBe true

                target.calls shouldBe 3
            }

            test("what a $kind method fails with in the end is its own, with a trace") {
                target.failures = 9

                val thrown = shouldThrow<Throwable> { runTestNow { call(service) } }

                (
                    if (thrown is ExecutionException) thrown.cause else Exceptions.unwrap(thrown)
                    ).shouldBeInstanceOf<ConnectException>()
                RetryTrace.of(thrown)!!.attempts shouldBe 4
            }
        }

        test("the annotation on a method replaces the one on its class") {
            shouldThrow<ConnectException> { service.twice() }

            target.calls shouldBe 2
        }

        test("a method that returns nothing is done once it returns, also where the policy retries null and Unit") {
            target.failures = 1
            service.nothing()
            target.calls shouldBe 2

            target.calls = 0
            runTest { service.laterNothing() }
            target.calls shouldBe 2

            target.calls = 0
            service.nothingYet() shouldBe "done at 3"
        }

        test("what the policy rejects is not repeated") {
            shouldThrow<IllegalStateException> { service.rejected() }

            target.calls shouldBe 1
        }

        test("a suspend function keeps its caller's context, and Unit stays Unit") {
            runTest {
                withContext(CoroutineName("caller")) { service.suspending("a") }
                service.unit()
            }

            target.contexts shouldContainExactly listOf("caller", "caller", "caller")
        }

        for (kind in KINDS.keys.filter { "suspend" in it || "flow" in it }) {
            test("a $kind method that is called after its coroutine's deadline is not called") {
                runTest {
                    withDeadline(Duration.ZERO) { shouldThrow<DeadlineException> { KINDS.getValue(kind)(service) } }
                }
                target.calls shouldBe 0
            }
        }

        test("a flow that is collected after the work with a deadline in which it was made has none") {
            runTest { withDeadline(Duration.ZERO) { service.laterElements(false) }.single() shouldBe "done at 3" }
        }

        test("a suspend function with a cache further in is retried, and what is there is returned") {
            contextOf(Caches::class.java, Cached::class.java).use {
                val cached = it.getBean(Cached::class.java)
                runTest {
                    List(2) { cached.find("a") } + cached.find("b") shouldBe listOf("a at 3", "a at 3", "b at 4")
                }
            }
        }

        test("cancelling the caller ends a suspend function at once, and it is not called again") {
            runTest {
                val job = launch(start = CoroutineStart.UNDISPATCHED) { service.endless() }
                testScheduler.advanceUntilIdle()
                job.cancelAndJoin()
            }

            target.isCancelled shouldBe true
            target.calls shouldBe 1
        }

        test(
            "a flow that has delivered an element is not collected again, and a suspend function keeps its caller's context",
        ) {
            target.failures = 1
            val seen = mutableListOf<String>()

            runTest {
                withContext(CoroutineName("caller")) {
                    shouldThrow<ConnectException> { service.laterElements(true).collect(seen::add) }
                }
            }

            target.calls shouldBe 1
            seen shouldContainExactly listOf("first")
            target.contexts shouldContainExactly listOf("caller")
        }

        test("nothing is called before a Mono is subscribed to, and each subscriber has a call of its own") {
            val mono = service.mono()
            target.calls shouldBe 0

            listOf(mono.block(), mono.block()) shouldContainExactly listOf("done at 3", "done at 4")
        }

        test("a function with defaults is retried, whichever of its overloads is called") {
            AnnotationConfigApplicationContext(
                Policies::class.java,
                RetryableTakeOver::class.java,
                Defaults::class.java,
            )
                .use {
                    val bean = it.getBean(Defaults::class.java)
                    fun calls(method: String, vararg arguments: Any): Any? {
                        targetOf(bean).calls = 0
                        val types = arguments.map { argument ->
                            argument::class.javaPrimitiveType ?: argument.javaClass
                        }
                        return Defaults::class.java.getMethod(method, *types.toTypedArray()).invoke(bean, *arguments)
                    }
                    calls("find", "a") shouldBe "a 7 b"
                    calls("find", "a", 8) shouldBe "a 8 b"
                    calls("find", "a", 8, "c") shouldBe "a 8 c"
                    calls("findTaken", "a") shouldBe "a 7 b"
                    it.getBean(RetryRegistry::class.java).names shouldContain "Defaults.findTaken"
                }
        }

        test("a method that returns its parent's T is retried as what T is") {
            contextOf(MonoHeir::class.java, FutureHeir::class.java).use {
                it.getBean(MonoHeir::class.java).find().block() shouldBe "done"
                it.getBean(FutureHeir::class.java).find().get() shouldBe "done"
            }
        }

        test("a bean that a second bean method returns makes one call a time") {
            val ends = mutableListOf<RetryEvent>()
            val listens = RetryConfigurer { _, builder ->
                builder.listener { if (it is RetryEvent.CallSucceeded || it is RetryEvent.CallGaveUp) ends += it }
            }
            AnnotationConfigApplicationContext().apply {
                registerBean(RetryRegistry::class.java, mapOf("four" to FOUR), listOf(listens))
                register(RepriseConfiguration::class.java, TwoDefinitions::class.java)
                refresh()
            }.use { context ->
                context.getBean("offered", Offered::class.java).find() shouldBe "done at 3"
                (ends.single() as RetryEvent.CallSucceeded).attempts shouldBe 3
            }
        }

        test("two subscribers of one flow have a call each") {
            val flow = service.elements(false)

            runTest { flow.toList() + flow.toList() shouldContainExactly listOf("done at 3", "done at 4") }
        }
    })

/** Runs [work] to its end; waits pass at once. */
private fun <T : Any> runTestNow(work: suspend () -> T): T {
    lateinit var result: T
    runTest { result = work() }
    return result
}
