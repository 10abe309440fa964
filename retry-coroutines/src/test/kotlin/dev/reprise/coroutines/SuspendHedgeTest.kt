@file:OptIn(ExperimentalCoroutinesApi::class)

package dev.reprise.coroutines

import dev.reprise.core.Attempt
import dev.reprise.core.AttemptTimeoutException
import dev.reprise.core.CallOptions
import dev.reprise.core.Hedge
import dev.reprise.core.RetryPolicy
import dev.reprise.core.Verdict
import dev.reprise.core.shell.call.ResultKind
import dev.reprise.core.shell.quota.RetryQuota
import dev.reprise.coroutines.shell.SuspendAttempt
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.long
import io.kotest.property.checkAll
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds

/** An execution: how long it takes in ms, what it comes to, and whether it does so even if it is cancelled. */
private class Script(val millis: Long, val end: String, val isStubborn: Boolean = false)

/** A client's attempt whose copy may run beside it: results to close, verdicts of its own. */
private class Twice(
    private vararg val scripts: Script,
    override val mayRunTwice: Boolean = true,
    private val discardThrows: Throwable? = null,
) : SuspendAttempt<String>() {
    val begun = ArrayList<Int>()
    val made = ArrayList<String>()
    val discarded = ArrayList<String>()
    val cancelled = ArrayList<Int>()
    val judged = ArrayList<String?>()

    override val kind get() = ResultKind.CLOSEABLE

    override suspend fun invoke(attempt: Attempt): String {
        val number = attempt.number
        begun += number
        val script = scripts[number - 1]
        try {
            if (script.isStubborn) withContext(NonCancellable) { delay(script.millis) } else delay(script.millis)
        } catch (e: CancellationException) {
            cancelled += number
            throw e
        }
        if (script.end in listOf("lost", "final")) throw IOException("${script.end}$number")
        return "${script.end}$number".also { made += it }
    }

    override suspend fun discard(result: String) {
        // Suspends, as closing a channel does: also in a coroutine that is cancelled.
        delay(1)
        discarded += result
        discardThrows?.let { throw it }
    }

    override fun verdictOn(failure: Throwable): Verdict? {
        judged += failure.message
        return if (failure.message!!.startsWith("final")) Verdict.Reject else null
    }
}

class SuspendHedgeTest :
    FunSpec({
        fun TestScope.setup(after: Duration = 50.milliseconds): RetrierSetup {
            val policy = RetryPolicy {
                maxAttempts = 1
                hedge = Hedge.after(after, maxExtraLoad = 1.0)
                onResult { if (it is String && it.startsWith("bad")) Verdict.TRANSIENT else null }
            }
            return Retrier(policy) {
                clock { currentTime * 1_000_000 }
                quota(RetryQuota())
            }.setup
        }

        test("a discard that throws changes neither the outcome nor the caller's coroutine") {
            for (first in listOf(Script(100, "good", isStubborn = true), Script(55, "bad"))) {
                runTest {
                    val work = Twice(first, Script(10, "good"), discardThrows = IllegalStateException("in discard"))
                    val result = setup().call(CallOptions.DEFAULT, work)
                    delay(200)
                    work.discarded shouldContainExactly work.made - result
                    work.discarded.size shouldBe 1
                }
            }
        }

        virtual("a discard that throws, of a result that came too late, is suppressed in the timeout") {
            val failure = IllegalStateException("in discard")
            val work = Twice(Script(100, "good", isStubborn = true), mayRunTwice = false, discardThrows = failure)
            val policy = RetryPolicy {
                maxAttempts = 1
                attemptTimeout = 50.milliseconds
            }
            val thrown = shouldThrow<AttemptTimeoutException> { Retrier(policy).setup.call(CallOptions.DEFAULT, work) }
            thrown.suppressed.toList() shouldContain failure
        }

        test("a bad result waits for the other execution, and is discarded if that is better") {
            for ((first, copy) in listOf(55L to 10L, 70L to 10L)) {
                runTest {
                    val isFirstBad = first < 50 + copy
                    val work = Twice(
                        Script(first, if (isFirstBad) "bad" else "good"),
                        Script(copy, if (isFirstBad) "good" else "bad"),
                    )
                    setup().call(CallOptions.DEFAULT, work) shouldBe if (isFirstBad) "good2" else "good1"
                    work.discarded shouldContainExactly listOf(if (isFirstBad) "bad1" else "bad2")
                }
            }
        }

        virtual("a failure that the client calls final ends the race, and its verdict is asked of failures alone") {
            val work = Twice(Script(60, "final"), Script(1_000, "good"))
            shouldThrow<IOException> { setup().call(CallOptions.DEFAULT, work) }.message shouldBe "final1"
            currentTime shouldBe 60
            testScheduler.runCurrent()
            work.cancelled shouldContainExactly listOf(2)
            work.judged.distinct() shouldContainExactly listOf("final1")
        }

        virtual("the attempt's limit ends no winner while the other result is discarded") {
            val work = object : SuspendAttempt<String>() {
                val discarded = ArrayList<String>()
                override val kind get() = ResultKind.CLOSEABLE
                override val mayRunTwice get() = true

                override suspend fun invoke(attempt: Attempt): String {
                    delay(if (attempt.isCopy) 60 else 100)
                    return if (attempt.isCopy) "good" else "bad"
                }

                override suspend fun discard(result: String) {
                    delay(1_000)
                    discarded += result
                }
            }
            val retry = Retrier(setup().policy.with { attemptTimeout = 200.milliseconds }) {
                clock { currentTime * 1_000_000 }
            }
            retry.setup.call(CallOptions.DEFAULT, work) shouldBe "good"
            work.discarded shouldContainExactly listOf("bad")
        }

        test("code of others that throws between two ends leaves no result open") {
            val work = Twice(Script(100, "bad"), Script(100, "good"))
            runTest {
                val setup = Retrier(setup().policy) {
                    clock { if ("good2" in work.made) error("no time") else currentTime * 1_000_000 }
                }.setup
                shouldThrow<IllegalStateException> { setup.call(CallOptions.DEFAULT, work) }
            }
            work.discarded.sorted() shouldContainExactly listOf("bad1", "good2")
        }

        virtual("work that may not run twice gets no copy") {
            val work = Twice(Script(1_000, "good"), mayRunTwice = false)
            setup().call(CallOptions.DEFAULT, work) shouldBe "good1"
            work.begun shouldContainExactly listOf(1)
        }

        test("a copy does not begin before its time, in whole ms") {
            for ((delay, begins) in listOf(
                2_400.microseconds to 3L,
                2_600.microseconds to 3L,
                1_000.microseconds to 1L,
            )) {
                runTest {
                    var at = -1L
                    val setup = setup(delay)
                    setup.call(CallOptions.DEFAULT) { attempt ->
                        if (attempt.isCopy) at = currentTime else delay(1_000)
                    }
                    at shouldBe begins
                }
            }
        }

        test("each result is returned or discarded, once, whatever both come to") {
            val ends = Arb.element("good", "bad", "lost", "final")
            checkAll(300, ends, ends, Arb.long(40L..80L), Arb.long(1L..30L)) { first, copy, firstMillis, copyMillis ->
                runTest {
                    val work = Twice(
                        Script(firstMillis, first, isStubborn = firstMillis % 2 == 0L),
                        Script(copyMillis, copy, isStubborn = copyMillis % 2 == 0L),
                    )
                    val result = runCatching { setup().call(CallOptions.DEFAULT, work) }.getOrNull()
                    testScheduler.advanceUntilIdle()
                    (work.discarded + listOfNotNull(result)).sorted() shouldContainExactly work.made.sorted()
                }
            }
        }
    })
