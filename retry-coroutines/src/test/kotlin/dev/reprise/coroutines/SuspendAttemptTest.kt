@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.Backoff
import dev.reprise.core.CallOptions
import dev.reprise.core.RetryEvent
import dev.reprise.core.RetryListener
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.core.shell.values.delayNanos
import dev.reprise.coroutines.shell.SuspendAttempt
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.boolean
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.enum
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.test.testTimeSource
import kotlinx.coroutines.withContext
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds

/** How one scripted attempt ends; one that stays ends with a result after it has timed out. */
private enum class End { GOOD, BAD, FAILS, HANGS, STAYS }

/** What was made, with a result that has to be closed. */
private class Made(val number: Int, val isGood: Boolean) {
    var closed = 0
}

private class Work(private val ends: List<End>, override val kind: ResultKind) : SuspendAttempt<Made>() {
    val made = ArrayList<Made>()
    val told = ArrayList<String>()
    var begun = 0
    var spentAfter = Int.MAX_VALUE
    var verdict: (Throwable) -> Verdict? = { null }

    override suspend fun invoke(attempt: Attempt): Made {
        val end = ends[begun++]
        delay(if (end == End.HANGS) 10_000 else 10)
        if (end == End.STAYS) withContext(NonCancellable) { delay(2_000) }
        if (end == End.FAILS) throw IOException("failed")
        return Made(attempt.number, isGood = end == End.GOOD).also { made += it }
    }

    override suspend fun discard(result: Made) {
        result.closed++
        delay(1)
        told += "discard ${result.number}"
    }

    override suspend fun mayRepeat(): Boolean {
        delay(1)
        told += "ask $begun"
        return begun < spentAfter
    }

    override fun verdictOn(failure: Throwable): Verdict? = verdict(failure)

    override fun beforeRetry(failure: Throwable?, result: Made?, delayNanos: Long) {
        told += "retry ${result?.number ?: failure!!.javaClass.simpleName} in ${delayNanos / 1_000_000}"
        if (result != null) check(result.closed == 0)
    }

    override suspend fun around(wait: suspend () -> Unit) {
        told += "wait"
        wait()
    }
}

/** What a client implements beyond a block does what its Java twins promise. */
class SuspendAttemptTest :
    FunSpec({
        val policy = RetryPolicy {
            maxAttempts = 4
            backoff = Backoff.fixed(100.milliseconds)
            attemptTimeout = 1_000.milliseconds
            onResult { if (it is Made && !it.isGood) Verdict.TRANSIENT else null }
        }
        val kinds = Arb.element(ResultKind.CLOSEABLE, ResultKind.CONNECTION, ResultKind.RESPONSE)
        val scripts = Arb.list(Arb.enum<End>(), 4..4)

        fun TestScope.retrier(listener: RetryListener? = null, quota: RetryQuota? = null) = Retrier(policy) {
            clock = testTimeSource.asNanoClock()
            listener?.let { listener(it) }
            quota?.let { this.quota = it }
        }

        test(
            "each result is returned or discarded, once, and an attempt is asked once whether another may follow, if one would",
        ) {
            checkAll(300, scripts, kinds, Arb.boolean(), Arb.int(1..5)) { script, kind, asOutcome, spentAfter ->
                runTest {
                    val work = Work(script, kind).apply { this.spentAfter = spentAfter }
                    val setup = retrier().setup
                    val returned = runCatching {
                        if (asOutcome) {
                            setup.outcome(CallOptions.DEFAULT, work).getOrThrow()
                        } else {
                            setup.call(CallOptions.DEFAULT, work)
                        }
                    }.getOrNull()
                    val firstGood = script.indexOf(End.GOOD).let { if (it < 0) 4 else it + 1 }
                    work.begun shouldBe minOf(firstGood, spentAfter, 4)
                    for (made in work.made) {
                        withClue(made.number) {
                            made.closed shouldBe if (made === returned) {
                                0
                            } else {
                                1
                            }
                        }
                    }
                    // Not after one that is accepted, nor after the last that the policy allows.
                    val asked = minOf(firstGood - 1, spentAfter, 3)
                    work.told.filter { it.startsWith("ask") } shouldContainExactly List(asked) { "ask ${it + 1}" }
                    work.told.count { it.startsWith("retry") } shouldBe work.begun - 1
                    work.told.count { it == "wait" } shouldBe work.begun - 1
                }
            }
        }

        test("a connection is released before the wait, anything else right before the next attempt") {
            for ((kind, order) in listOf(
                ResultKind.CONNECTION to listOf("ask 1", "retry 1 in 100", "discard 1", "wait"),
                ResultKind.CLOSEABLE to listOf("ask 1", "retry 1 in 100", "wait", "discard 1"),
            )) {
                runTest {
                    val work = Work(listOf(End.BAD, End.GOOD), kind)
                    retrier().setup.call(CallOptions.DEFAULT, work).number shouldBe 2
                    work.told shouldContainExactly order
                }
            }
        }

        test("a client is told of a retry as often as listeners are, whatever keeps one from being made") {
            val backoffs = Arb.element(null, 0, 100)
            checkAll(300, scripts, kinds, Arb.boolean(), Arb.int(0..60), backoffs) {
                    script,
                    kind,
                    polls,
                    tokens,
                    wait,
                ->
                runTest {
                    val scheduled = ArrayList<String>()
                    val listener = RetryListener {
                        if (it is RetryEvent.RetryScheduled) scheduled += "in ${it.delayNanos / 1_000_000}"
                    }
                    val work = Work(script, kind)
                    val retrier = Retrier(policy.with { backoff = Backoff.custom { _ -> wait!!.milliseconds } }) {
                        clock = testTimeSource.asNanoClock()
                        listener(listener)
                        quota = RetryQuota(500).apply { tryTake(500 - tokens, null) }
                    }
                    val options = CallOptions("poll").with { longPolling = polls }
                    runCatching { retrier.setup.call(options, work) }
                    val told = work.told.filter { it.startsWith("retry") }.map { "in " + it.substringAfter(" in ") }
                    told shouldContainExactly scheduled
                }
            }
        }

        virtual("a hook that throws does not cut short the delay of a long poll that the quota refuses") {
            val work = object : SuspendAttempt<String>() {
                override suspend fun invoke(attempt: Attempt): String = throw IOException("failed")

                override fun beforeRetry(failure: Throwable?, result: String?, delayNanos: Long) = error("hook")
            }
            val empty = RetryQuota(500).apply { tryTake(500, null) }
            val setup = retrier(quota = empty).setup
            val failure = shouldThrow<IOException> { setup.call(CallOptions("poll").with { longPolling = true }, work) }
            currentTime shouldBe 100
            failure.suppressed.filterIsInstance<IllegalStateException>().shouldBeEmpty()
        }

        virtual("a verdict of its own counts, and a failure that it accepts is thrown without a retry") {
            val work = Work(List(4) { End.FAILS }, ResultKind.VALUE).apply { verdict = { Verdict.Accept } }
            shouldThrow<IOException> { retrier().setup.call(CallOptions.DEFAULT, work) }
            work.begun shouldBe 1
        }

        test("a verdict that throws ends the call, once, and gives back what was paid") {
            checkAll(20, Arb.int(1..4)) { at ->
                runTest {
                    val ends = ArrayList<String>()
                    val quota = RetryQuota(500)
                    val listener = RetryListener { ends += it.javaClass.simpleName }
                    val work = Work(List(4) { End.FAILS }, ResultKind.VALUE)
                    work.verdict = { if (work.begun == at) error("judge") else null }
                    shouldThrow<IllegalStateException> {
                        retrier(listener, quota).setup.call(CallOptions.DEFAULT, work)
                    }.message shouldBe "judge"
                    ends.count { it in setOf("CallGaveUp", "CallSucceeded", "CallCancelled") } shouldBe 1
                    work.begun shouldBe at
                }
            }
        }

        test("a caller that is cancelled gets no retry, and what was made is closed") {
            checkAll(300, kinds, Arb.int(0..330)) { kind, at ->
                runTest {
                    val work = Work(List(4) { End.BAD }, kind)
                    val job = launch { retrier().setup.call(CallOptions.DEFAULT, work) }
                    delay(at.toLong())
                    val begun = work.begun
                    job.cancelAndJoin()
                    work.begun shouldBe begun
                    for (made in work.made) made.closed shouldBe 1
                }
            }
        }

        virtual("an around that throws a cancellation cancels the call") {
            val events = ArrayList<String>()
            val work = object : SuspendAttempt<String>() {
                override suspend fun invoke(attempt: Attempt): String = throw IOException("failed")

                override suspend fun around(wait: suspend () -> Unit): Unit = throw CancellationException("closed")
            }
            shouldThrow<CancellationException> {
                retrier({ events += it.javaClass.simpleName }).setup.call(CallOptions.DEFAULT, work)
            }.message shouldBe "closed"
            events.last() shouldBe "CallCancelled"
            events.filter { it == "CallSucceeded" }.shouldBeEmpty()
        }
    })
