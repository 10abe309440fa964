package dev.reprise.coroutines

import com.sun.management.ThreadMXBean
import dev.reprise.core.Backoff
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.quota.RetryQuota
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import java.lang.management.ManagementFactory
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine

private const val CALLS = 1_000_000
private const val RETRIES = 100_000
private const val GIVE_UPS = 50_000

/** What the JVM allocates now and then by itself. */
private const val SLACK = CALLS / 100L

/**
 * What a loop written by hand as a suspend function allocates on JDK 17, with a delay as a parameter. A newer compiler may do
 * away with some or all of it, the loop's by hand sooner than ours. Ours also notes when the call was made, for layers: 8 bytes.
 */
private const val FRAME_AND_BLOCK = 88L + 8

private class Refused : RuntimeException("refused", null, false, false)

/** What the JVM counts, and not how long anything takes: these tests are as true on a busy machine. */
class AllocationTest :
    FunSpec({
        val policy = RetryPolicy {
            backoff = Backoff.IMMEDIATE
            onFailure { if (it is Refused) Verdict.TRANSIENT else null }
        }

        test(
            "a first attempt that succeeds allocates what any suspend function that takes a block does: its frame and the block",
        ) {
            val retrier = Retrier(policy)
            val answer = Any()

            suspend fun calls() = repeat(CALLS) { check(retrier { answer } === answer) }
            bytesAllocatedBy { calls() } shouldBeLessThanOrEqual FRAME_AND_BLOCK * CALLS + SLACK
        }

        test("a failure and its retry allocate no more than 192 bytes beyond that") {
            val retrier = Retrier(policy)
            val refused = Refused()

            suspend fun calls() = repeat(RETRIES) { n ->
                check(retrier { attempt -> if (attempt.number == 1) throw refused else n } == n)
            }
            // The block captures two more, and Kotlin boxes the number.
            bytesAllocatedBy { calls() } shouldBeLessThanOrEqual (FRAME_AND_BLOCK + 24 + 192) * RETRIES + SLACK
        }

        // With three failures: 456 and 592 bytes once all is compiled, the place of the call in its mark among them.
        for ((traces, limit) in listOf(false to 640L, true to 760L)) {
            test("a call that gives up allocates no more than $limit bytes beyond that, with a trace: $traces") {
                val retrier = Retrier(policy.with { noQuota().trace(traces) })
                val refused = Refused()

                suspend fun calls() = repeat(GIVE_UPS) {
                    try {
                        retrier { throw refused }
                    } catch (e: Refused) {
                        check(e === refused)
                    }
                }
                bytesAllocatedBy { calls() } shouldBeLessThanOrEqual (FRAME_AND_BLOCK + limit) * GIVE_UPS
            }
        }

        test("a full quota is only read, and one that is not full gets its token back") {
            val quota = RetryQuota(500)
            val retrier = Retrier.builder(policy).quota(quota).build()
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
    repeat(10) { startAndWait(calls) }
    val before = threads.currentThreadAllocatedBytes
    startAndWait(calls)
    return threads.currentThreadAllocatedBytes - before
}

private fun startAndWait(calls: suspend () -> Unit) {
    var ended: Result<Unit>? = null
    calls.startCoroutine(Continuation(EmptyCoroutineContext) { ended = it })
    checkNotNull(ended) { "nothing here suspends" }.getOrThrow()
}
