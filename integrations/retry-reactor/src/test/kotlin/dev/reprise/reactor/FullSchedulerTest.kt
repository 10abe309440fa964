package dev.reprise.reactor

import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.Backoff
import dev.reprise.core.DeadlineException
import dev.reprise.core.RetryPolicy
import dev.reprise.core.RetryPolicyBuilder
import dev.reprise.core.RetryTrace
import dev.reprise.core.SendRateSettings
import dev.reprise.core.StopReason
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import reactor.core.scheduler.Scheduler
import reactor.core.scheduler.Schedulers
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.milliseconds

private val LONG = Duration.ofSeconds(30)

private fun retrier(changes: RetryPolicyBuilder.() -> Unit) = Retrier(
    RetryPolicy {
        backoff = Backoff.fixed(20.milliseconds)
        changes()
    },
)

/** Blocks a thread of the scheduler as often as it is called. */
private class Blocks(private val scheduler: Scheduler) {
    private val isOver = CountDownLatch(1)

    fun await(): Nothing {
        isOver.await()
        throw IOException("too late")
    }

    /** Holds all [threads]. */
    fun all(threads: Int) {
        val held = CountDownLatch(threads)
        // Each thread has a queue of its own.
        repeat(2 * threads) {
            scheduler.schedule {
                held.countDown()
                isOver.await()
            }
        }
        held.await()
    }

    fun end() = isOver.countDown()
}

/** In real time: a limit does not wait for a thread of the scheduler. */
class FullSchedulerTest :
    FunSpec({
        /** Runs [body] with a scheduler of one thread, and what blocks that. */
        fun withOneThread(body: Blocks.(Scheduler) -> Unit) {
            val scheduler = Schedulers.newSingle("only", true)
            val blocks = Blocks(scheduler)
            try {
                blocks.body(scheduler)
            } finally {
                blocks.end()
                scheduler.dispose()
            }
        }

        test("an attempt's timeout ends an attempt that holds the scheduler's only thread") {
            withOneThread { scheduler ->
                val latest = AtomicInteger()
                val retrier = retrier {
                    attemptTimeout = 100.milliseconds
                    maxAttempts = 2
                }
                val call = retrier.mono(scheduler = scheduler) { attempt ->
                    latest.set(attempt.number)
                    Mono.fromCallable<Int> { if (attempt.number == 1) throw IOException("reset") else await() }
                }
                shouldThrow<AttemptTimeoutException> { call.block(LONG) }
                latest.get() shouldBe 2
            }
        }

        test("an attempt's timeout ends an attempt when all threads of Schedulers.parallel() are held") {
            val blocks = Blocks(Schedulers.parallel())
            val retrier = retrier {
                attemptTimeout = 100.milliseconds
                maxAttempts = 1
            }
            try {
                blocks.all(Schedulers.DEFAULT_POOL_SIZE)
                shouldThrow<AttemptTimeoutException> { Mono.never<Int>().retry(retrier).block(LONG) }
            } finally {
                blocks.end()
            }
        }

        for (isFlux in listOf(false, true)) {
            test("the deadline ends an attempt whose scheduler is full; a flux: $isFlux") {
                withOneThread { scheduler ->
                    all(1)
                    val retrier = retrier { deadline = 100.milliseconds }
                    val call = if (isFlux) {
                        Flux.just(1).concatWith(Flux.never()).retry(retrier, scheduler = scheduler).then()
                    } else {
                        Mono.never<Void>().retry(retrier, scheduler = scheduler)
                    }
                    shouldThrow<AttemptTimeoutException> { call.block(LONG) }
                }
            }
        }

        test("the deadline ends a wait whose scheduler is full, and no attempt follows") {
            withOneThread { scheduler ->
                all(1)
                val attempts = AtomicInteger()
                val work = Mono.fromCallable<Int> { throw IOException("reset ${attempts.incrementAndGet()}") }
                val retrier = retrier { deadline = 200.milliseconds }
                val failure = shouldThrow<Exception> { work.retry(retrier, scheduler = scheduler).block(LONG) }
                attempts.get() shouldBe 1
                RetryTrace.of(failure)!!.reason shouldBe StopReason.DEADLINE
            }
        }

        test("the deadline ends a call whose send permit comes when the scheduler is full") {
            withOneThread { scheduler ->
                val settings = SendRateSettings.builder().scale(1e-30).minFillRate(2.0).minCapacity(1.0).build()
                val now = System.nanoTime()
                val rate = SendRate(settings, now).apply { record(throttled = true, sentAt = now, now = now) }
                val policy = RetryPolicy {
                    sendRate = settings
                    deadline = 1_200.milliseconds
                }
                val attempts = AtomicInteger()
                val call = Mono.fromCallable { attempts.incrementAndGet() }
                    .retry(Retrier(policy) { sendRate(rate) }, scheduler = scheduler)
                // Takes a permit: the next one comes half a second later.
                call.block(LONG) shouldBe 1
                all(1)
                shouldThrow<DeadlineException> { call.block(LONG) }
                attempts.get() shouldBe 1
            }
        }
    })
