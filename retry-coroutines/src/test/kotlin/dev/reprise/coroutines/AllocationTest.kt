package dev.reprise.coroutines

import com.sun.management.ThreadMXBean
import dev.reprise.core.RetryPolicy
import dev.reprise.core.backoff.FixedBackoff
import dev.reprise.core.classify.Verdict
import dev.reprise.core.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine

private const val CALLS = 1_000_000

private class Refused : RuntimeException("refused", null, false, false)

/** What the JVM counts, and not how long anything takes: these tests are as true on a busy machine. */
class AllocationTest :
    FunSpec({
        val policy =
            RetryPolicy {
                backoff = FixedBackoff(0)
                onFailure { if (it is Refused) Verdict.TRANSIENT else null }
            }

        test("a million first attempts that succeed allocate nothing in the library") {
            val retrier = Retrier(policy)
            val answer = Any()
            suspend fun calls() = repeat(CALLS) { check(retrier { answer } === answer) }
            bytesAllocatedBy { calls() } shouldBeLessThan CALLS / 100L
        }

        test("a failure and its retry allocate no more than 100 bytes") {
            val retrier = Retrier(policy)
            val refused = Refused()
            suspend fun calls() = repeat(CALLS) {
                var fails = true
                retrier {
                    if (fails) {
                        fails = false
                        throw refused
                    }
                }
            }
            // The 16 bytes are the test's own: `fails` is captured.
            bytesAllocatedBy { calls() } shouldBeLessThan (100L + 16) * CALLS
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
