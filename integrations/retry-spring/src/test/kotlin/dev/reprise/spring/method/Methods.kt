package dev.reprise.spring.method

import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Four attempts without waits. */
val FOUR: RetryPolicy = RetryPolicy {
    maxAttempts = 4
    noBackoff()
    noQuota()
}

/** Counts its calls; each method fails as often as [failures] says. */
@Retry("four")
open class Service {
    var calls = 0
    var failures = 2
    val contexts = mutableListOf<String?>()
    val threadLocals = mutableListOf<String?>()
    var isCancelled = false

    /** Whether a failure is the end of a `withTimeout`. */
    var timesOut = false

    /** Repeats each step of a method before the method itself is repeated. */
    var below: Retrier? = null

    private fun step(): String = below?.let { JavaRetrier.sharing(it).call<String, Exception> { once() } } ?: once()

    private suspend fun laterStep(): String = below?.invoke { once() } ?: once()

    private fun once(): String {
        if (++calls <= failures) {
            if (timesOut) runBlocking { withTimeout(0) {} }
            throw ConnectException("attempt $calls")
        }
        return "done at $calls"
    }

    open fun plain(): String = step()

    @Retry("two")
    open fun twice(): String = step()

    @Retry("judged")
    open fun nothing() {
        step()
    }

    @Retry("judged")
    open suspend fun laterNothing() {
        step()
    }

    @Retry("judged")
    open fun nothingYet(): String? = step().takeIf { calls > 2 }

    open fun rejected(): String {
        calls++
        throw IllegalStateException("not retryable")
    }

    open fun future(): CompletableFuture<String> = CompletableFuture.supplyAsync({
        threadLocals += LOCAL.get()
        step()
    }, Runnable::run)

    open fun stage(): CompletionStage<String> = future()

    open suspend fun suspending(name: String): String {
        delay(1.milliseconds)
        contexts += currentCoroutineContext()[CoroutineName]?.name
        return name + " " + laterStep()
    }

    open suspend fun unit() {
        step()
    }

    open suspend fun endless() {
        calls++
        try {
            awaitCancellation()
        } finally {
            isCancelled = true
        }
    }

    open fun mono(): Mono<String> = Mono.fromCallable { step() }

    /** These fail in the call itself, before there is anything that could fail. */
    open fun eagerFuture(): CompletableFuture<String> = CompletableFuture.completedFuture(step())

    open fun eagerMono(): Mono<String> = Mono.just(step())

    open fun eagerFlux(): Flux<String> = Flux.just(step())

    open fun eagerElements(): Flow<String> = flowOf(step())

    open fun flux(failAfterFirst: Boolean): Flux<String> {
        val rest = Flux.defer { Flux.just(step()) }
        return if (failAfterFirst) Flux.concat(Flux.just("first"), rest) else rest
    }

    open fun elements(failAfterFirst: Boolean): Flow<String> = flow {
        if (failAfterFirst) emit("first")
        emit(laterStep())
    }

    open suspend fun laterElements(failAfterFirst: Boolean): Flow<String> {
        delay(1.milliseconds)
        contexts += currentCoroutineContext()[CoroutineName]?.name
        return elements(failAfterFirst)
    }

    companion object {
        val LOCAL: ThreadLocal<String> = ThreadLocal()
    }
}

@Configuration(proxyBeanMethods = false)
@EnableReprise
open class Policies {
    @Bean
    open fun registry() = RetryRegistry(
        mapOf(
            "four" to FOUR,
            "two" to FOUR.with { maxAttempts = 2 },
            "waiting" to FOUR.with { fixedBackoff(1.milliseconds) },
            "hourly" to FOUR.with { fixedBackoff(1.hours) },
            "waiting for permits" to FOUR.with {
                sendRate = SendRateSettings { minFillRate(20.0) }
                onFailure { Verdict.THROTTLING }
            },
            "within time" to FOUR.with { attemptTimeout = 30.seconds },
            "timed" to FOUR.with { attemptTimeout = 30.milliseconds },
            "judged" to FOUR.with { onResult { if (it == null || it === Unit) Verdict.TRANSIENT else null } },
        ),
    )
}

/** A context with [EnableReprise] and [beans]. */
fun contextOf(vararg beans: Class<*>) = AnnotationConfigApplicationContext(Policies::class.java, *beans)
