package dev.reprise.conformance.laws

import dev.reprise.core.Backoff
import dev.reprise.core.Classifier
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryTrace
import dev.reprise.core.Verdict
import dev.reprise.coroutines.Retrier
import dev.reprise.coroutines.shell.CalledFrom
import dev.reprise.java.JavaRetrier
import dev.reprise.reactor.mono
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

private val POLICY = RetryPolicy {
    maxAttempts = 3
    backoff = Backoff.IMMEDIATE
    quota = null
    classifier = Classifier.failures { Verdict.TRANSIENT }
}

private val POOL = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }

/** A call of [outer] around a call of [inner] whose attempts fail by [fail]. */
private class Nesting(private val name: String, val call: (Retrier, Retrier, () -> Nothing) -> Any?) {
    override fun toString(): String = name
}

private fun java(retrier: Retrier) = JavaRetrier.sharing(retrier)

private fun Retrier.blocking(work: () -> Any?): Any? = java(this).call<Any?, Exception> { work() }

private fun Retrier.future(work: () -> CompletableFuture<Any?>): CompletableFuture<Any?> =
    java(this).callAsync<Any?> { work() }

/** A future that fails soon, on another thread. */
private fun failsLater(fail: () -> Nothing): CompletableFuture<Any?> =
    CompletableFuture.supplyAsync({ fail() }, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS))

private fun failing(fail: () -> Nothing): Mono<Any> = Mono.fromCallable<Any> { fail() }

private fun nothingSoon(): CompletableFuture<Any?> =
    CompletableFuture.supplyAsync({ null }, CompletableFuture.delayedExecutor(30, TimeUnit.MILLISECONDS))

@Suppress("OPT_IN_USAGE")
private val RECOGNISED = listOf(
    Nesting("blocking, blocking") { a, b, fail -> a.blocking { b.blocking(fail) } },
    Nesting("blocking, future") { a, b, fail -> a.blocking { b.future { failsLater(fail) }.get() } },
    Nesting("blocking, future on a pool") { a, b, fail ->
        a.blocking { java(b).callAsync<Any?>({ fail() }, POOL).get() }
    },
    Nesting("blocking, runBlocking") { a, b, fail -> a.blocking { runBlocking { b { delay(1).also { fail() } } } } },
    Nesting("blocking, async in runBlocking") { a, b, fail ->
        a.blocking { runBlocking { coroutineScope { async { b { fail() } }.await() } } }
    },
    Nesting("blocking, block of a mono") { a, b, fail ->
        a.blocking { b.mono<Any> { Mono.delay(Duration.ofMillis(1)).flatMap { failing(fail) } }.block() }
    },
    Nesting("suspend, suspend") { a, b, fail -> runBlocking { a { b { delay(1).also { fail() } } } } },
    Nesting("suspend, async in coroutineScope") { a, b, fail ->
        runBlocking(Dispatchers.Default) { a { delay(1).also { coroutineScope { async { b { fail() } }.await() } } } }
    },
    Nesting("suspend, withContext") { a, b, fail ->
        runBlocking { a { withContext(Dispatchers.IO) { b { fail() } } } }
    },
    Nesting("suspend, withTimeout") { a, b, fail ->
        runBlocking { a { withTimeout(9_999) { b { delay(1).also { fail() } } } } }
    },
    Nesting("suspend, withContext(NonCancellable)") { a, b, fail ->
        runBlocking { a { withContext(NonCancellable) { delay(1).also { b { delay(1).also { fail() } } } } } }
    },
    Nesting("suspend, a coroutine that names its caller") { a, b, fail ->
        runBlocking {
            a {
                val named = CalledFrom(currentCoroutineContext())
                withTimeout(9_999) { GlobalScope.async(named) { withContext(NonCancellable) { b { fail() } } }.await() }
            }
        }
    },
    Nesting("suspend, blocking") { a, b, fail -> runBlocking { a { b.blocking(fail) } } },
    Nesting("suspend, future that has failed") { a, b, fail ->
        runBlocking {
            a { b.future { CompletableFuture.failedFuture(runCatching<Any> { fail() }.exceptionOrNull()!!) }.await() }
        }
    },
    Nesting("future, blocking") { a, b, fail ->
        a.future { CompletableFuture.completedFuture(b.blocking(fail)) }.get()
    },
    Nesting("future on a pool, blocking") { a, b, fail -> java(a).callAsync<Any?>({ b.blocking(fail) }, POOL).get() },
    Nesting("future on a pool, future") { a, b, fail ->
        java(a).callAsync<Any?>({ b.future { failsLater(fail) }.get() }, POOL).get()
    },
    Nesting("future, future") { a, b, fail -> a.future { b.future { failsLater(fail) } }.get() },
    Nesting("future, thenCompose of one that is there") { a, b, fail ->
        a.future { CompletableFuture.completedFuture(1).thenCompose { b.future { failsLater(fail) } } }.get()
    },
    Nesting("future, runBlocking") { a, b, fail ->
        a.future { runBlocking { b { failsLater(fail).also { it.await() } } } }.get()
    },
    Nesting("mono, mono") { a, b, fail -> a.mono<Any> { b.mono { failing(fail) } }.block() },
    Nesting("mono, flatMap on another thread") { a, b, fail ->
        a.mono<Any> { Mono.delay(Duration.ofMillis(1)).flatMap { b.mono<Any> { failing(fail) } } }.block()
    },
    Nesting("mono, subscribeOn") { a, b, fail ->
        a.mono<Any> { b.mono<Any> { failing(fail) }.subscribeOn(Schedulers.boundedElastic()) }.block()
    },
    Nesting("mono, publishOn") { a, b, fail ->
        a.mono<Any> { Mono.just(1).publishOn(Schedulers.parallel()).flatMap { b.mono<Any> { failing(fail) } } }.block()
    },
    Nesting("mono, blocking") { a, b, fail -> a.mono<Any> { Mono.fromCallable<Any> { b.blocking(fail) } }.block() },
    Nesting("mono, future") { a, b, fail ->
        a.mono<Any> { Mono.fromFuture<Any>(b.future { failsLater(fail) }) }.block()
    },
)

@Suppress("OPT_IN_USAGE")
private val UNKNOWN = listOf(
    Nesting("blocking, blocking on another thread") { a, b, fail ->
        a.blocking { POOL.submit<Any?> { b.blocking(fail) }.get() }
    },
    Nesting("suspend, async of the scope around it") { a, b, fail ->
        runBlocking { supervisorScope { a { async { b { fail() } }.await() } } }
    },
    Nesting("suspend, GlobalScope") { a, b, fail -> runBlocking { a { GlobalScope.async { b { fail() } }.await() } } },
    Nesting("suspend, blocking after it suspended") { a, b, fail ->
        runBlocking { a { delay(1).also { b.blocking(fail) } } }
    },
    Nesting("suspend, blocking in withContext") { a, b, fail ->
        runBlocking { a { withContext(Dispatchers.IO) { b.blocking(fail) } } }
    },
    Nesting("suspend, await of a future") { a, b, fail -> runBlocking { a { b.future { failsLater(fail) }.await() } } },
    Nesting("suspend, a coroutine of a scope made by hand that names the caller of another") { a, b, fail ->
        runBlocking {
            a {
                val named = CalledFrom(currentCoroutineContext())
                CoroutineScope(named + SupervisorJob()).async { b { fail() } }.await()
            }
        }
    },
    Nesting("future, supplyAsync") { a, b, fail ->
        a.future { CompletableFuture.supplyAsync({ b.blocking(fail) }, POOL) }.get()
    },
    Nesting("future, thenCompose on another thread") { a, b, fail ->
        a.future { nothingSoon().thenCompose { b.future { failsLater(fail) } } }.get()
    },
    Nesting("future, future { }") { a, b, fail ->
        a.future { CoroutineScope(Dispatchers.Default).future { b { fail() } } }.get()
    },
    Nesting("mono, blocking on another thread") { a, b, fail ->
        a.mono<Any> { Mono.fromCallable<Any> { b.blocking(fail) }.subscribeOn(Schedulers.boundedElastic()) }.block()
    },
    Nesting("mono, future on another thread") { a, b, fail ->
        a.mono<Any> {
            Mono.delay(Duration.ofMillis(1)).flatMap { Mono.fromFuture<Any>(b.future { failsLater(fail) }) }
        }.block()
    },
)

/** Two calls of different retriers that wait for one stage. */
private class Waiting(
    private val name: String,
    val call: (Retrier, () -> CompletableFuture<Int>) -> CompletableFuture<Int>,
) {
    override fun toString(): String = name
}

private val WAITING = listOf(
    Waiting("future") { retrier, stage -> java(retrier).callAsync { stage() } },
    Waiting("suspend") { retrier, stage ->
        CoroutineScope(Dispatchers.Unconfined).future { retrier { stage().await() } }
    },
    Waiting("suspend, child of one coroutine") { retrier, stage ->
        CoroutineScope(Dispatchers.Unconfined).future {
            coroutineScope { async(start = CoroutineStart.UNDISPATCHED) { retrier { stage().await() } }.await() }
        }
    },
    Waiting("mono") { retrier, stage -> retrier.mono { Mono.fromFuture(stage(), true) }.toFuture() },
    Waiting("blocking on a pool") { retrier, stage ->
        CompletableFuture.supplyAsync({ java(retrier).call<Int, Exception> { stage().await(1) } }, POOL)
    },
)

private fun <T> CompletableFuture<T>.await(seconds: Long): T = try {
    get(seconds, TimeUnit.SECONDS)
} catch (e: java.util.concurrent.ExecutionException) {
    throw e.cause!!
}

/** Law: a mark counts for the attempt in whose scope its call was made, and for no other. */
class ScopesLawTest :
    FunSpec({
        fun failures(nesting: Nesting, outer: Retrier, inner: Retrier): Int {
            val count = AtomicInteger()
            runCatching {
                nesting.call(outer, inner) {
                    count.incrementAndGet()
                    throw IOException("down")
                }
            }.isFailure shouldBe true
            return count.get()
        }

        for (nesting in RECOGNISED) {
            test("recognised, with two retriers and with one: $nesting") {
                failures(nesting, Retrier(POLICY), Retrier(POLICY)) shouldBe 3
                val one = Retrier(POLICY)
                failures(nesting, one, one) shouldBe 3
                failures(nesting, one, one.with(POLICY.with { trace = false })) shouldBe 3
            }
        }

        for (nesting in UNKNOWN) {
            test("cannot be known, and is retried: $nesting") {
                failures(nesting, Retrier(POLICY), Retrier(POLICY)) shouldBe 9
            }
        }

        for (first in WAITING) {
            for (second in WAITING) {
                test("a failure that two retriers wait for ends neither before its attempts: $first, $second") {
                    repeat(20) {
                        val third = CompletableFuture<Int>()
                        val waiting = AtomicInteger()
                        fun source(vararg stages: CompletableFuture<Int>): () -> CompletableFuture<Int> {
                            val left = ArrayDeque(stages.toList())
                            return { left.removeFirst().also { if (it === third) waiting.incrementAndGet() } }
                        }
                        fun lost(number: Int) = CompletableFuture.failedFuture<Int>(IOException("lost $number"))
                        val users = first.call(Retrier(POLICY), source(lost(1), lost(2), third))
                        val orders = second.call(Retrier(POLICY), source(third, CompletableFuture.completedFuture(42)))
                        val until = System.nanoTime() + 60_000_000_000
                        while (waiting.get() < 2 && System.nanoTime() < until) Thread.onSpinWait()
                        waiting.get() shouldBe 2
                        third.completeExceptionally(IOException("lost 3"))
                        withClue("orders") { orders.get(30, TimeUnit.SECONDS) shouldBe 42 }
                        runCatching { users.get(30, TimeUnit.SECONDS) }.isFailure shouldBe true
                    }
                }
            }
        }

        test("an async that was begun before the attempt that waits for it is not inside it") {
            val (users, orders) = List(2) { Retrier(POLICY) }
            var attempts = 0
            runCatching {
                runBlocking {
                    val begun = async(start = CoroutineStart.UNDISPATCHED) {
                        runCatching { users { delay(5).also { throw IOException() } } }
                    }
                    orders {
                        attempts++
                        begun.await().getOrThrow()
                    }
                }
            }
            attempts shouldBe 3
        }

        test("a future that was begun before the attempt that waits for it is not inside it") {
            val (users, orders) = List(2) { Retrier(POLICY) }
            for (fails in listOf<() -> CompletableFuture<Any?>>({
                failsLater { throw IOException() }
            }, { throw IOException() })) {
                val begun = users.future(fails)
                val attempts = AtomicInteger()
                runCatching { orders.blocking { attempts.incrementAndGet().also { begun.await(9) } } }
                runCatching { orders.future { begun.also { attempts.incrementAndGet() } }.get() }
                attempts.get() shouldBe 6
            }
        }

        test("two blocking callers that threw one exception object each read their own trace") {
            val shared = IOException("shared")
            val together = CyclicBarrier(2)
            val read = listOf("users", "orders").map { name ->
                CompletableFuture.supplyAsync({
                    val retrier = Retrier(POLICY) { this.name = name }
                    val thrown = runCatching { retrier.blocking { throw shared } }.exceptionOrNull()!!
                    together.await()
                    RetryTrace.of(thrown)!!.retrier
                }, POOL)
            }
            read.map { it.get(30, TimeUnit.SECONDS) } shouldBe listOf("users", "orders")
        }

        test("a call of one attempt leaves the trace of the call inside it to be read") {
            val none = Retrier(RetryPolicy.NONE)
            val calls = listOf<(() -> Nothing) -> Any?>(
                { fail -> runBlocking { none { Retrier(POLICY).invoke { fail() } } } },
                { fail -> none.blocking { Retrier(POLICY).blocking(fail) } },
            )
            for (call in calls) {
                val thrown = runCatching { call { throw IOException("down") } }.exceptionOrNull()!!
                RetryTrace.of(thrown)!!.attempts shouldBe 3
            }
            val older = runCatching { Retrier(POLICY).blocking { throw IOException("cached") } }.exceptionOrNull()!!
            val own = runCatching { none.blocking { throw older } }.exceptionOrNull()!!
            RetryTrace.of(own)!!.attempts shouldBe 1
        }
    })
