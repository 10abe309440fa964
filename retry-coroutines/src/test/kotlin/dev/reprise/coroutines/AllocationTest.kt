package dev.reprise.coroutines

import com.sun.management.ThreadMXBean
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.FixedBackoff
import dev.reprise.core.classify.Verdict
import dev.reprise.core.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import java.lang.management.ManagementFactory
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine

private const val CALLS = 1_000_000

/** What the JVM allocates now and then by itself. */
private const val SLACK = CALLS / 100L

/** What one writes by hand: no quota, no classifier, no jitter. */
private suspend fun <T> byHand(delayMillis: Long = 0, block: suspend (Int) -> T): T {
    var attempt = 1
    while (true) {
        try {
            return block(attempt)
        } catch (e: CancellationException) {
            throw e
        } catch (e: Exception) {
            if (attempt++ >= 3) throw e
        }
        if (delayMillis > 0) delay(delayMillis)
    }
}

private class Refused : RuntimeException("refused", null, false, false)

/** What the JVM counts, and not how long anything takes: these tests are as true on a busy machine. */
class AllocationTest :
    FunSpec({
        val policy =
            RetryPolicy {
                backoff = FixedBackoff(0)
                onFailure { if (it is Refused) Verdict.TRANSIENT else null }
            }

        test("a first attempt that succeeds allocates no more than the same loop written by hand") {
            val retrier = Retrier(policy)
            val answer = Any()

            suspend fun ours() = repeat(CALLS) { check(retrier { answer } === answer) }

            suspend fun floor() = repeat(CALLS) { check(byHand { answer } === answer) }
            bytesAllocatedBy { ours() } shouldBeLessThanOrEqual bytesAllocatedBy { floor() } + SLACK
        }

        test("a failure and its retry allocate no more than 136 bytes beyond that") {
            val retrier = Retrier(policy)
            val refused = Refused()

            suspend fun ours() = repeat(CALLS) { n ->
                check(retrier { attempt -> if (attempt.number == 1) throw refused else n } == n)
            }

            suspend fun floor() = repeat(CALLS) { n ->
                check(byHand { attempt -> if (attempt == 1) throw refused else n } == n)
            }
            bytesAllocatedBy { ours() } shouldBeLessThanOrEqual bytesAllocatedBy { floor() } + 136L * CALLS + SLACK
        }

        test("a full quota is only read, and one that is not full gets its token back") {
            val quota = RetryQuota(500)
            val retrier = Retrier(policy, quota)
            suspend fun writesOfOneCall(): Boolean {
                val before = quota.available
                retrier { }
                return quota.available != before
            }
            startAndWait { writesOfOneCall() shouldBe false }
            quota.tryTake(2)
            startAndWait { writesOfOneCall() shouldBe true }
            quota.available shouldBe 499
        }
    })

/** The bytes that this thread allocates while [calls] run, once they have run so often that they are compiled. */
private fun bytesAllocatedBy(calls: suspend () -> Unit): Long {
    val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean
    repeat(3) { startAndWait(calls) }
    val before = threads.currentThreadAllocatedBytes
    startAndWait(calls)
    return threads.currentThreadAllocatedBytes - before
}

private fun startAndWait(calls: suspend () -> Unit) {
    var ended: Result<Unit>? = null
    calls.startCoroutine(Continuation(EmptyCoroutineContext) { ended = it })
    checkNotNull(ended) { "nothing here suspends" }.getOrThrow()
}
