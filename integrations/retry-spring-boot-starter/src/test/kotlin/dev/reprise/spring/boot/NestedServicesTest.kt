package dev.reprise.spring.boot

import dev.reprise.spring.Retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import reactor.core.publisher.Mono
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

private val MADE = AtomicInteger()

private fun down(): Nothing {
    MADE.incrementAndGet()
    throw IOException("down")
}

open class Inventory {
    @Retry
    open fun blocking(): String = down()

    @Retry
    open fun future(): CompletableFuture<String> =
        CompletableFuture.supplyAsync({ down() }, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS))

    @Retry
    open suspend fun suspending(): String = delay(1).let { down() }

    @Retry
    open fun mono(): Mono<String> = Mono.fromCallable { down() }
}

open class Facade(private val inventory: Inventory) {
    @Retry
    open fun blocking(): String = inventory.blocking()

    @Retry
    open fun future(): CompletableFuture<String> = inventory.future()

    @Retry
    open suspend fun suspending(): String = inventory.suspending()

    @Retry
    open fun mono(): Mono<String> = inventory.mono()
}

class NestedServicesTest :
    FunSpec({
        for ((kind, call) in mapOf<String, (Facade) -> Any?>(
            "blocking" to { it.blocking() },
            "future" to { it.future().join() },
            "suspending" to { runBlocking { it.suspending() } },
            "mono" to { it.mono().block() },
        )) {
            test("two services with a plain @Retry, so one policy, make three attempts in all: $kind") {
                ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration::class.java))
                    .withBean(Inventory::class.java)
                    .withBean(Facade::class.java)
                    .withPropertyValues(
                        "reprise.policies.default.backoff.type=fixed",
                        "reprise.policies.default.backoff.delay=1ms",
                    )
                    .run { context ->
                        val facade = context.getBean(Facade::class.java)
                        MADE.set(0)

                        runCatching { call(facade) }.isFailure shouldBe true

                        MADE.get() shouldBe 3
                    }
            }
        }
    })
