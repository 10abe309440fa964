package dev.reprise.spring.method

import dev.reprise.spring.Retry
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.scheduling.annotation.Async
import org.springframework.scheduling.annotation.EnableAsync
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.ExecutionException

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

    @Retry("waiting")
    open fun plain(): CompletableFuture<String> = CompletableFuture.completedFuture(step())
}

@Configuration(proxyBeanMethods = false)
@EnableAsync
open class Asynchronous {
    @Bean
    open fun taskExecutor() = ThreadPoolTaskExecutor().apply {
        setThreadNamePrefix("async-")
        setTaskDecorator { task ->
            val tenant = TENANT.get()
            Runnable {
                TENANT.set(tenant)
                try {
                    task.run()
                } finally {
                    TENANT.remove()
                }
            }
        }
    }
}

class AsyncMethodTest :
    FunSpec({
        val calls = mapOf<String, (Loading) -> CompletableFuture<String>>(
            "that throws" to { it.load() },
            "whose future fails later" to { it.later() },
        )
        for ((kind, call) in calls) {
            test("all attempts of an @Async method $kind see the thread and the thread-locals of the first one") {
                contextOf(Asynchronous::class.java, Loading::class.java).use { context ->
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
