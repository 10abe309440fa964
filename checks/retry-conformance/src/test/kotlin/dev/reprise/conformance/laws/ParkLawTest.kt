package dev.reprise.conformance.laws

import dev.reprise.core.CallOptions
import dev.reprise.core.Polling
import dev.reprise.core.RetryPolicy
import dev.reprise.core.SendRateSettings
import dev.reprise.core.shell.rate.SendRate
import dev.reprise.coroutines.Retrier
import dev.reprise.java.BlockingAttempt
import dev.reprise.java.JavaRetrier
import dev.reprise.java.ThrowingSupplier
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

private const val CALLS = 12
private const val PER_SECOND = 200.0

/** A retrier whose attempts get a permit each 5 ms. */
private fun metered(): JavaRetrier {
    val settings = SendRateSettings.builder().scale(1e-30).minFillRate(PER_SECOND).build()
    val now = System.nanoTime()
    val rate = SendRate(settings, now).apply { record(throttled = true, sentAt = now, now = now) }
    return JavaRetrier.sharing(Retrier(RetryPolicy { sendRate = settings }) { sendRate = rate })
}

private val FORMS = mapOf<String, (JavaRetrier) -> Any?>(
    "call" to { it.withOptions(CallOptions.DEFAULT).callWithAttempt(BlockingAttempt<String, Exception> { "done" }) },
    "outcome" to
        { it.withOptions(CallOptions.DEFAULT).outcomeWithAttempt(BlockingAttempt<String, Exception> { "done" }) },
    "call interruptibly" to {
        it.withOptions(CallOptions.DEFAULT).callInterruptiblyWithAttempt(BlockingAttempt<String, Exception> { "done" })
    },
    "poll" to {
        it.pollUntil(Polling.every(Duration.ofSeconds(1), null), {
            true
        }, ThrowingSupplier<String, Exception> { "done" })
    },
)

/** How deep calls stand within one another on one thread, and how many there were. */
private class Depth {
    private val here = ThreadLocal.withInitial { 0 }
    val most = AtomicInteger()
    val calls = AtomicInteger()

    fun during(work: () -> Unit) {
        here.set(here.get() + 1)
        most.accumulateAndGet(here.get(), ::maxOf)
        calls.incrementAndGet()
        try {
            work()
        } finally {
            here.set(here.get() - 1)
        }
    }
}

/** Law 2: a blocking call that waits parks its thread, which runs nothing else meanwhile. */
class ParkLawTest :
    FunSpec({
        test("the common pool of these tests is one that lets waiting workers help") {
            ForkJoinPool.getCommonPoolParallelism() shouldBeGreaterThan 1
        }

        for ((name, form) in FORMS) {
            test("a worker of the common pool that waits for a send permit runs no other task: $name") {
                val retrier = metered()
                val depth = Depth()
                // Forked by a worker, so that they are in its own queue.
                val forked = CompletableFuture.supplyAsync {
                    List(CALLS) { CompletableFuture.runAsync { depth.during { form(retrier) } } }
                }
                forked.get().forEach { it.get(30, TimeUnit.SECONDS) }
                depth.calls.get() shouldBe CALLS
                depth.most.get() shouldBe 1
            }
        }
    })
