package dev.reprise.spring

import dev.reprise.core.Backoff
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.StopReason
import dev.reprise.java.JavaRetrierBuilder
import dev.reprise.spring.method.EnableReprise
import dev.reprise.test.VirtualTime
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.support.DefaultLifecycleProcessor
import org.springframework.scheduling.annotation.Async
import org.springframework.scheduling.annotation.EnableAsync
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor
import java.net.ConnectException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

open class Endless {
    @Async
    @Retry("soon")
    open fun soon(): CompletableFuture<String> = throw ConnectException("no")

    @Retry("late")
    open fun late(): CompletableFuture<String> = CompletableFuture.failedFuture(ConnectException("no"))
}

@Configuration(proxyBeanMethods = false)
@EnableReprise
@EnableAsync
open class Lives {
    @Bean
    open fun scheduled() = CountDownLatch(1)

    @Bean
    open fun registry(scheduled: CountDownLatch) = RetryRegistry(
        mapOf(
            "soon" to RetryPolicy {
                noQuota()
                unlimitedAttempts()
                backoff = Backoff.fixed(20.milliseconds)
            },
            "late" to RetryPolicy { backoff = Backoff.fixed(1.hours) },
        ),
        listOf(
            RetryConfigurer { _: String, builder: JavaRetrierBuilder ->
                builder.listener { if (it is RetryEvent.RetryScheduled) scheduled.countDown() }
            },
        ),
    )

    @Bean
    open fun endless() = Endless()

    /** By default Spring waits ten seconds for tasks that run. */
    @Bean
    open fun lifecycleProcessor() = DefaultLifecycleProcessor().apply { setTimeoutPerShutdownPhase(100) }

    @Bean
    open fun taskExecutor() = ThreadPoolTaskExecutor().apply { setThreadNamePrefix("async-") }
}

/** The cancellation of a future. From JDK 23 on `get` wraps it in another. */
private fun cancellation(thrown: Throwable?): Throwable =
    thrown.shouldBeInstanceOf<CancellationException>().let { it.cause as? CancellationException ?: it }

class LivesTest :
    FunSpec({
        test("a context that closes ends the calls that hold a thread of its executor, and leaves no thread") {
            val context = AnnotationConfigApplicationContext(Lives::class.java)
            val threads = context.getBean(ThreadPoolTaskExecutor::class.java).threadPoolExecutor
            val end = context.getBean(Endless::class.java).soon()
            context.getBean(CountDownLatch::class.java).await(30, TimeUnit.SECONDS) shouldBe true

            context.close()

            val thrown = runCatching { end.get(20, TimeUnit.SECONDS) }.exceptionOrNull()
            // By the executor, which interrupts its threads, or right after it by the retries.
            cancellation(thrown.shouldBeInstanceOf<ExecutionException>().cause).message shouldBeIn
                listOf("interrupted", "the application context has closed")
            threads.awaitTermination(20, TimeUnit.SECONDS) shouldBe true
        }

        test("a context that closes ends the calls that wait without a thread, and their quota is whole") {
            val context = AnnotationConfigApplicationContext(Lives::class.java)
            val retrier = context.getBean(RetryRegistry::class.java).retrier("late")
            val end = context.getBean(Endless::class.java).late()
            context.getBean(CountDownLatch::class.java).await(30, TimeUnit.SECONDS) shouldBe true

            context.close()

            val thrown = runCatching { end.get(20, TimeUnit.SECONDS) }.exceptionOrNull()
            cancellation(thrown).message shouldBe "the application context has closed"
            retrier.quota!!.available shouldBe retrier.quota!!.capacity
        }

        test("a call that begins when the context has closed waits for no retry") {
            val context = AnnotationConfigApplicationContext(Lives::class.java)
            val bean = context.getBean(Endless::class.java)
            val early = bean.late()
            context.close()
            early.isDone shouldBe true

            val late = bean.late()

            late.isDone shouldBe true
            cancellation(runCatching { late.get() }.exceptionOrNull()).message shouldBe
                "the application context has closed"
        }

        test(
            "a registry that is refreshed in a wait leaves the calls under way their policy, and gives the next ones its own",
        ) {
            val time = VirtualTime()
            val configurer = RetryConfigurer { _: String, builder: JavaRetrierBuilder ->
                builder.clock(time).waiter(time).draws(VirtualTime.LONGEST)
            }
            fun tries(n: Int) = RetryPolicy {
                maxAttempts = n
                noQuota()
                backoff = Backoff.fixed(10.seconds)
            }
            val registry = RetryRegistry(mapOf("p" to tries(4)), listOf(configurer))
            time.after(15.seconds) { registry.update(mapOf("p" to tries(2))) }
            val attempts = List(2) {
                val end = registry["p"].outcome<Any?> { throw ConnectException("no") }
                RetryTrace.of(runCatching { end.getOrThrow() }.exceptionOrNull()!!)!!
            }
            attempts.map { it.attempts } shouldBe listOf(4, 2)
            attempts.map { it.reason } shouldBe List(2) { StopReason.ATTEMPTS }
            time.pending shouldBe 0
        }
    })
