package dev.reprise.spring.method

import dev.reprise.core.RetryPolicy
import dev.reprise.coroutines.Retrier
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryRegistry
import dev.reprise.spring.http.HttpRetries
import dev.reprise.spring.webclient.RetryExchangeFilter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.aopalliance.intercept.MethodInterceptor
import org.springframework.aop.framework.ProxyFactory
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.awaitBody
import reactor.core.publisher.Mono
import java.net.ConnectException
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

interface Steps {
    suspend fun step(): String
}

/** The layer below: each of its methods fails each time, on a thread that no layer knows. */
open class Below {
    open val sent = AtomicInteger()
    private val retrier = Retrier(FOUR.with { maxAttempts = 2 })
    private val client = WebClient.builder()
        .filter(RetryExchangeFilter(HttpRetries.of(RetryRegistry(mapOf("http" to HTTP)), "http")))
        .exchangeFunction { failing() }
        .build()

    @Retry("two")
    open suspend fun suspending(): String = delay(1).let { fails() }

    @Retry("two")
    open fun mono(): Mono<String> = failing()

    open suspend fun block(): String = retrier { delay(1).let { fails() } }

    /** Behind advice of others: a coroutine without a parent. */
    open suspend fun advised(): String {
        val steps = object : Steps {
            override suspend fun step() = block()
        }
        val proxy = ProxyFactory(steps)
        proxy.addAdvice(MethodInterceptor { it.proceed() })
        return (proxy.proxy as Steps).step()
    }

    open suspend fun client(): String = client.get().uri("http://x/").retrieve().awaitBody()

    private fun <T : Any> failing(): Mono<T> = Mono.delay(Duration.ofMillis(1)).map { fails() }

    private fun fails(): Nothing = throw ConnectException("attempt ${sent.incrementAndGet()}")

    private companion object {
        val HTTP = RetryPolicy.HTTP.with {
            maxAttempts = 2
            noBackoff()
            noQuota()
        }
    }
}

/** The layer above. */
@Retry("four")
open class Above {
    open suspend fun suspending(work: suspend () -> String): String = work()

    @Retry("within time")
    open suspend fun limited(work: suspend () -> String): String = work()

    open fun later(work: suspend () -> String): Mono<String> = mono { work() }

    open fun flow(work: suspend () -> String): Flow<String> = flow<String> { emit(work()) }

    open suspend fun laterFlow(work: suspend () -> String): Flow<String> = delay(1).let { this.flow(work) }
}

/** Law: what one face gave up on no other face around it retries. */
class LayersTest :
    FunSpec({
        val below = mapOf<String, suspend (Below) -> String>(
            "@Retry suspend" to { it.suspending() },
            "@Retry Mono" to { it.mono().awaitSingle() },
            "@Retry Mono after a wait, elsewhere" to { withContext(Dispatchers.IO) { it.mono().awaitSingle() } },
            "retrier { }" to { it.block() },
            "retrier { } behind other advice" to { it.advised() },
            "retrier { } in mono { }" to { mono { it.block() }.awaitSingle() },
            "retried WebClient" to { it.client() },
        )
        val above = mapOf<String, suspend (Above, suspend () -> String) -> Unit>(
            "@Retry suspend" to { layer, work -> layer.suspending(work) },
            "@Retry suspend with a limit" to { layer, work -> layer.limited(work) },
            "@Retry Mono" to { layer, work -> layer.later(work).awaitSingle() },
            "@Retry suspend Flow" to { layer, work -> layer.laterFlow(work).collect {} },
            "@Retry Mono around @Retry suspend" to { layer, work ->
                layer.later { layer.suspending(work) }.awaitSingle()
            },
        )

        for ((outer, call) in above) {
            for ((inner, work) in below) {
                test("$outer around $inner") {
                    contextOf(Above::class.java, Below::class.java).use { context ->
                        val layer = context.getBean(Below::class.java)
                        runBlocking {
                            runCatching { call(context.getBean(Above::class.java)) { work(layer) } }
                        }.isFailure shouldBe true
                        layer.sent.get() shouldBe 2
                    }
                }
            }
        }
    })
