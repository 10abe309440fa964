package dev.reprise.spring.method

import dev.reprise.spring.Retry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.core.task.SimpleAsyncTaskExecutor
import org.springframework.core.task.TaskDecorator
import org.springframework.scheduling.annotation.Async
import org.springframework.scheduling.annotation.EnableAsync
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor
import java.net.ConnectException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit

private val TENANT = ThreadLocal<String?>()

open class Loading {
    open val threads = CopyOnWriteArrayList<String>()
    open val tenants = CopyOnWriteArrayList<String?>()

    private fun step(): String {
        threads += Thread.currentThread().name.substringBefore('-')
        tenants += TENANT.get()
        if (threads.size < 3) throw ConnectException("attempt ${threads.size}")
        return "done"
    }

    /** Blocking work, which throws. */
    @Async
    @Retry("waiting")
    open fun load(): CompletableFuture<String> = CompletableFuture.completedFuture(step())

    /** Work that ends later, on another thread. */
    @Async
    @Retry("waiting")
    open fun later(): CompletableFuture<String> {
        val failure = runCatching { step() }
        return CompletableFuture.supplyAsync { failure.getOrThrow() }
    }

    @Async
    @Retry("four")
    open fun rejected(): CompletableFuture<String> = CompletableFuture.failedFuture(IllegalStateException("no"))

    open val begun = CountDownLatch(1)
    open val closed = CountDownLatch(1)

    @Async
    @Retry("hourly")
    open fun waits(): CompletableFuture<String> {
        begun.countDown()
        return CompletableFuture.completedFuture(step())
    }

    /** Ends when the context has closed, and takes no notice of interrupts. */
    @Async
    @Retry("hourly")
    open fun outlasts(): CompletableFuture<String> {
        begun.countDown()
        while (closed.count > 0) runCatching { closed.await() }
        return CompletableFuture.completedFuture(step())
    }

    @Retry("waiting")
    open fun plain(): CompletableFuture<String> = CompletableFuture.completedFuture(step())
}

private class Tenants : TaskDecorator {
    override fun decorate(task: Runnable): Runnable {
        val tenant = TENANT.get()
        return Runnable {
            TENANT.set(tenant)
            try {
                task.run()
            } finally {
                TENANT.remove()
            }
        }
    }
}

@Configuration(proxyBeanMethods = false)
@EnableAsync
open class Asynchronous {
    @Bean
    open fun taskExecutor() = ThreadPoolTaskExecutor().apply {
        setThreadNamePrefix("async-")
        setTaskDecorator(Tenants())
    }
}

/** Comes to the beans before the retries. Its executor leaves its threads alone when it closes. */
@Configuration(proxyBeanMethods = false)
@EnableAsync(order = 0)
open class EarlyAsynchronous {
    @Bean
    open fun taskExecutor() = SimpleAsyncTaskExecutor("async-").apply { setTaskDecorator(Tenants()) }
}

class AsyncMethodTest :
    FunSpec({
        val calls = mapOf<String, (Loading) -> CompletableFuture<String>>(
            "that throws" to { it.load() },
            "whose future fails later" to { it.later() },
        )
        fun run(kind: String, call: (Loading) -> CompletableFuture<String>, executor: Class<*>) {
            test("all attempts of an @Async method $kind see what the first one sees: ${executor.simpleName}") {
                contextOf(executor, Loading::class.java).use { context ->
                    val loading = context.getBean(Loading::class.java)
                    TENANT.set("mine")
                    try {
                        call(loading).get() shouldBe "done"
                    } finally {
                        TENANT.remove()
                    }
                    loading.threads shouldContainExactly listOf("async", "async", "async")
                    loading.tenants shouldContainExactly listOf("mine", "mine", "mine")
                }
            }
        }
        for ((kind, call) in calls) {
            run(kind, call, Asynchronous::class.java)
            run(kind, call, EarlyAsynchronous::class.java)
        }

        val open = mapOf<String, (Loading) -> CompletableFuture<String>>(
            "waits for a retry" to { it.waits() },
            "outlasts its context" to { it.outlasts() },
        )
        for ((kind, call) in open) {
            test("an @Async method that $kind is not called again when the context has closed") {
                val context = contextOf(EarlyAsynchronous::class.java, Loading::class.java)
                val loading = context.getBean(Loading::class.java)
                val (begun, closed, threads) = Triple(loading.begun, loading.closed, loading.threads)
                val future = call(loading)
                begun.await(30, TimeUnit.SECONDS) shouldBe true
                context.close()
                closed.countDown()

                val thrown = shouldThrow<ExecutionException> { future.get(30, TimeUnit.SECONDS) }
                thrown.cause.shouldBeInstanceOf<CancellationException>()
                threads shouldContainExactly listOf("async")
            }
        }

        test("an @Async method fails with its own exception") {
            contextOf(Asynchronous::class.java, Loading::class.java).use { context ->
                val future = context.getBean(Loading::class.java).rejected()
                shouldThrow<ExecutionException> { future.get() }.cause.shouldBeInstanceOf<IllegalStateException>()
            }
        }

        test("a method without @Async holds no thread between its attempts") {
            contextOf(Asynchronous::class.java, Loading::class.java).use { context ->
                val loading = context.getBean(Loading::class.java)
                loading.plain().get() shouldBe "done"
                loading.threads.contains("async") shouldBe false
            }
        }
    })
