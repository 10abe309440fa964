package dev.reprise.benchmarks

import com.github.michaelbull.retry.policy.constantDelay
import com.github.michaelbull.retry.policy.plus
import com.github.michaelbull.retry.policy.stopAtAttempts
import com.github.michaelbull.retry.retry
import dev.reprise.core.Backoff
import dev.reprise.coroutines.Retrier
import dev.reprise.java.JavaRetrier
import dev.reprise.java.StageSupplier
import dev.reprise.java.ThrowingSupplier
import io.github.resilience4j.retry.Retry
import io.github.resilience4j.retry.RetryConfig
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import java.lang.management.ManagementFactory
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.milliseconds

/** Calls that are in flight at once. */
const val IN_FLIGHT = 100_000

/**
 * Starts [IN_FLIGHT] calls that fail twice with a delay after each failure, and prints one line. With `time` it has the
 * wall time in ms until all have succeeded and the most threads; with `memory`, the bytes of heap that one call holds
 * while all wait. One contestant to a process, so that none inherits another's heap or compiled code.
 */
fun main(args: Array<String>) {
    val (contestant, measure) = args
    if (measure == "memory") {
        val before = usedHeap()
        Scale(delayMillis = 60_000).start(contestant)
        Thread.sleep(3_000)
        println((usedHeap() - before) / IN_FLIGHT)
        exitProcess(0)
    }
    Scale(delayMillis = 50).apply { start(contestant) }.done.await() // compiles what it measures
    val threads = ManagementFactory.getThreadMXBean()
    val start = System.nanoTime()
    Scale(delayMillis = 50).apply { start(contestant) }.done.await()
    println("${(System.nanoTime() - start) / 1_000_000} ${threads.peakThreadCount}")
    exitProcess(0)
}

private fun usedHeap(): Long {
    repeat(3) { System.gc() }
    return ManagementFactory.getMemoryMXBean().heapMemoryUsage.used
}

private class Scale(private val delayMillis: Long) {
    val done = CountDownLatch(IN_FLIGHT)
    private val failure = Failure()
    private val retrier = Retrier(STANDARD.with { backoff = Backoff.fixed(delayMillis.milliseconds) })

    fun start(contestant: String) = when (contestant) {
        "coroutines floor" -> coroutines { call -> handWritten(delayMillis) { call.attempt() } }

        "coroutines reprise" -> coroutines { call -> retrier { call.attempt() } }

        "coroutines kotlinRetry" -> {
            val policy = constantDelay<Throwable>(delayMillis) + stopAtAttempts(ATTEMPTS)
            coroutines { call -> retry(policy) { call.attempt() } }
        }

        "futures floor" -> {
            val later = CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, ForkJoinPool.commonPool())
            futures { call -> laterByHand(ATTEMPTS, later) { call.future() } }
        }

        "futures reprise" -> {
            val java = JavaRetrier.sharing(retrier)
            futures { call -> java.callAsync(StageSupplier { call.future() }) }
        }

        "futures resilience4j" -> {
            val config = RetryConfig.custom<Any>().maxAttempts(ATTEMPTS).waitDuration(Duration.ofMillis(delayMillis))
            val retry = Retry.of("scale", config.build())
            val scheduler = Executors.newSingleThreadScheduledExecutor()
            futures { call -> retry.executeCompletionStage(scheduler) { call.future() } }
        }

        "virtualThreads floor" -> virtualThreads { call -> handWrittenBlocking(delayMillis) { call.attempt() } }

        "virtualThreads reprise" -> {
            val java = JavaRetrier.sharing(retrier)
            virtualThreads { call -> java.call(ThrowingSupplier<Any, RuntimeException> { call.attempt() }) }
        }

        "virtualThreads resilience4j" -> {
            val config = RetryConfig.custom<Any>().maxAttempts(ATTEMPTS).waitDuration(Duration.ofMillis(delayMillis))
            val retry = Retry.of("scale", config.build())
            virtualThreads { call -> retry.executeSupplier { call.attempt() } }
        }

        else -> error("no such contestant: $contestant")
    }

    private inner class Call {
        private var failures = 0

        fun attempt(): Any = if (failures++ < ATTEMPTS - 1) throw failure else Work.ANSWER

        fun future(): CompletableFuture<Any> = if (failures++ < ATTEMPTS - 1) {
            CompletableFuture.failedFuture(failure)
        } else {
            CompletableFuture.completedFuture(Work.ANSWER)
        }
    }

    private inline fun coroutines(crossinline call: suspend (Call) -> Any?) {
        val scope = CoroutineScope(Dispatchers.Default)
        repeat(IN_FLIGHT) {
            scope.launch {
                call(Call())
                done.countDown()
            }
        }
    }

    private inline fun futures(call: (Call) -> CompletionStage<Any>) {
        repeat(IN_FLIGHT) { call(Call()).thenRun(done::countDown) }
    }

    private fun laterByHand(left: Int, later: Executor, work: () -> CompletableFuture<Any>): CompletableFuture<Any> =
        work().exceptionallyCompose { failure ->
            if (left == 1) {
                CompletableFuture.failedFuture(failure)
            } else {
                CompletableFuture.supplyAsync({ laterByHand(left - 1, later, work) }, later).thenCompose { it }
            }
        }

    private inline fun virtualThreads(crossinline call: (Call) -> Any?) {
        // The benchmarks are compiled for 17; on an older JDK there is no such method, and no such row.
        val starts = Thread::class.java.getMethod("startVirtualThread", Runnable::class.java)
        repeat(IN_FLIGHT) {
            val run = Runnable {
                call(Call())
                done.countDown()
            }
            starts.invoke(null, run)
        }
    }
}
