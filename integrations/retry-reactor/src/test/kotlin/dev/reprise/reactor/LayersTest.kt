package dev.reprise.reactor

import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.reactor.asFlux
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import reactor.core.publisher.Mono
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.reactor.mono as inMono

private val POLICY = RetryPolicy {
    maxAttempts = 3
    noBackoff()
    noQuota()
    onFailure { Verdict.TRANSIENT }
}

private typealias Call = (outer: Retrier, inner: Retrier, fail: () -> Nothing) -> Any?

private fun failing(fail: () -> Nothing): Mono<Any> = Mono.fromCallable<Any> { fail() }

/** Monos and coroutines inside each other. `ScopesLawTest` has the other faces. */
class LayersTest :
    FunSpec({
        val recognised = mapOf<String, Call>(
            "suspend in a mono" to { a, b, fail ->
                a.mono<Any> { inMono { b { delay(1).also { fail() } } } }.block()
            },
            "suspend in withContext in a mono" to { a, b, fail ->
                a.mono<Any> { inMono { withContext(Dispatchers.IO) { delay(1).also { b { fail() } } } } }.block()
            },
            "a mono that a coroutine in a mono awaits" to { a, b, fail ->
                a.mono<Any> { inMono { delay(1).let { b.mono<Any> { failing(fail) }.awaitSingle() } } }.block()
            },
            "suspend in a flow that is a flux" to { a, b, fail ->
                a.flux<Any> { flow<Any> { delay(1).also { b { fail() } } }.asFlux() }.blockLast()
            },
        )
        val unknown = mapOf<String, Call>(
            "a mono that a coroutine awaits" to { a, b, fail ->
                runBlocking { a { delay(1).let { b.mono<Any> { failing(fail) }.awaitSingle() } } }
            },
            "suspend in a mono that a coroutine awaits" to { a, b, fail ->
                runBlocking { a { inMono<Any> { b { fail() } }.awaitSingle() } }
            },
        )

        fun attempts(call: Call, outer: Retrier, inner: Retrier): Int {
            val count = AtomicInteger()
            val ended = runCatching { call(outer, inner) { throw IOException("${count.incrementAndGet()}") } }
            ended.isFailure shouldBe true
            return count.get()
        }

        for ((name, call) in recognised) {
            test("recognised, with two retriers and with one: $name") {
                attempts(call, Retrier(POLICY), Retrier(POLICY)) shouldBe 3
                Retrier(POLICY).let { attempts(call, it, it) } shouldBe 3
            }
        }

        for ((name, call) in unknown) {
            test("cannot be known, and is retried: $name") {
                attempts(call, Retrier(POLICY), Retrier(POLICY)) shouldBe 9
            }
        }

        test("a coroutine that two monos wait for ends only the one that it was started in") {
            val started = CompletableFuture<Unit>()
            val goesOn = CompletableFuture<Unit>()
            val users = Retrier(POLICY)
            val shared = inMono<Any> {
                users {
                    started.complete(Unit)
                    withContext(Dispatchers.IO) { goesOn.get(30, TimeUnit.SECONDS) }
                    throw IOException("down")
                }
            }.cache()
            val first = Retrier(POLICY).mono { shared }.toFuture()
            started.get(30, TimeUnit.SECONDS)
            val joined = AtomicInteger()
            val second = Retrier(POLICY)
                .mono { if (joined.incrementAndGet() == 1) shared else Mono.just(42) }.toFuture()
            goesOn.complete(Unit)
            second.get(30, TimeUnit.SECONDS) shouldBe 42
            runCatching { first.get(30, TimeUnit.SECONDS) }.isFailure shouldBe true
        }
    })
