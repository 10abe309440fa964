package dev.reprise.core

import dev.reprise.core.shell.text.LONGEST_LINE
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import java.util.IdentityHashMap
import java.util.concurrent.CompletionException
import kotlin.time.Duration.Companion.milliseconds

class RetryTraceTest :
    FunSpec({
        test("a trace tells the call in one line and each failure in another") {
            val recorded = Shell(listeners = listOf(Recorder()))
            val call = recorded.run(
                { throw IOException("reset by https://host/a?token=1") },
                { recorded.now += 7_000_000 },
            )
            call.isAccepted shouldBe true
            val failed = recorded.run(
                { throw IOException("reset by https://host/a?token=1") },
                {
                    recorded.now += 7_000_000
                    throw IOException("closed")
                },
            )
            RetryTrace.of(failed.outcome().shouldBeInstanceOf<RetryOutcome.Failure>().failure).toString() shouldBe
                """
                RetryTrace: 3 attempts, stopped: attempts, waited 150ms, took 164ms
                    attempt 1: java.io.IOException: reset by https://host/a?..., then waited 50ms
                    attempt 2: java.io.IOException: closed, then waited 100ms
                    attempt 3: java.io.IOException: closed
                """.trimIndent()
        }

        test("a call that reads no clock does not say how long it took") {
            val one = RetryTrace.of(Shell(RetryPolicy.NONE).thrown { throw IOException() }).shouldNotBeNull()
            one.elapsed shouldBe null
            one.message shouldBe "1 attempt, stopped: attempts, waited 0s\n    attempt 1: java.io.IOException"
        }

        test("a pass through a retrier that never retries leaves the trace that tells") {
            val below = { throw Shell().thrown { throw IOException("reset") } }
            val above = Shell(RetryPolicy.NONE).outcome(below).shouldBeInstanceOf<RetryOutcome.Failure>()
            above.attempts shouldBe 1
            RetryTrace.of(above.failure)!!.attempts shouldBe 3
        }

        test("a trace of a thousand attempts is no longer than one of thirteen") {
            val long = "x".repeat(1000)
            val policy = RetryPolicy {
                maxAttempts = 1000
                quota = null
                backoff = Backoff.fixed(1.milliseconds)
            }
            var n = 0
            val trace = RetryTrace.of(Shell(policy).thrown { throw IOException("${++n} $long") }).shouldNotBeNull()
            trace.attempts shouldBe 1000
            trace.failures.map { it.number } shouldContainExactly (1..4) + (992..1000)
            trace.failures.all { it.what.startsWith("java.io.IOException: ${it.number} x") } shouldBe true
            trace.message shouldContain "\n    (987 more)\n"
            trace.message.length shouldBeLessThan 13 * (LONGEST_LINE + 60) + 100
            trace.stackTrace.toList().shouldBeEmpty()
        }

        test("asking twice for the failure attaches one trace") {
            val call = Shell().run({ throw IOException() })
            val failure = shouldThrow<IOException> { call.result() }
            shouldThrow<IOException> { call.result() } shouldBeSameInstanceAs failure
            shouldThrow<IOException> { call.outcome().getOrThrow() } shouldBeSameInstanceAs failure
            failure.suppressed.toList() shouldHaveSize 1
        }

        test("an exception that refuses suppression is thrown without a trace, and the outcome has it") {
            val refuses = Refuses()
            val call = Shell(RetryPolicy.STANDARD.with { onFailure { Verdict.TRANSIENT } }).begin()
            repeat(3) { call.ends(refuses) }
            shouldThrow<Refuses> { call.result() } shouldBeSameInstanceAs refuses
            RetryTrace.of(refuses).shouldBeNull()
            call.outcome().trace.shouldNotBeNull().attempts shouldBe 3
        }

        test("an exception that a thousand calls share keeps a few traces, and each outcome its own") {
            val shared = IOException("shared")
            val outcomes = List(1000) { Shell().outcome({ throw shared }) }
            shared.suppressed.toList() shouldHaveSize 4
            // By identity: two of a thousand identity hash codes may well be equal.
            outcomes.associateByTo(IdentityHashMap()) { it.trace }.size shouldBe outcomes.size
            outcomes.all { it.trace!!.attempts == 3 } shouldBe true
        }

        test("the trace is found inside what futures and coroutines wrap around a failure") {
            val failure = Shell().thrown { throw IOException() }
            RetryTrace.of(CompletionException(RuntimeException(failure))) shouldBeSameInstanceAs RetryTrace.of(failure)
            RetryTrace.of(IOException()).shouldBeNull()
            val circle = IOException()
            circle.initCause(RuntimeException(circle))
            RetryTrace.of(circle).shouldBeNull()
        }

        test("an exception whose text cannot be had is thrown all the same") {
            val nasty = object : IOException() {
                override fun toString(): String = error("no text")
            }
            val call = Shell(listeners = listOf(logging(ListLogger()))).run({ throw nasty })
            shouldThrow<IOException> { call.result() } shouldBeSameInstanceAs nasty
            call.outcome().trace!!.failures.first().what shouldContain "whose text cannot be had"
        }

        test("a bad result that the policy throws carries the trace too") {
            val policy = RetryPolicy {
                onResult { if (it == "pending") Verdict.TRANSIENT else null }
                onBadResult = OnBadResult.THROW
            }
            val call = Shell(policy).run({ "pending" })
            val thrown = shouldThrow<BadResultException> { call.outcome().getOrThrow() }
            RetryTrace.of(thrown).shouldNotBeNull().failures.map { it.what } shouldContainExactly
                List(3) { "result of java.lang.String" }
        }

        test("a success after a retry has a trace, one at the first attempt has none") {
            val late = Shell().outcome({ throw IOException("once") }, { "up" })
            late.shouldBeInstanceOf<RetryOutcome.Success<Any?>>().trace!!.failures.map {
                it.number
            } shouldContainExactly listOf(1)
            Shell(listeners = listOf(Recorder())).outcome({ "up" }).trace.shouldBeNull()
            Shell(RetryPolicy { trace = false }).outcome({ throw IOException() }).trace.shouldBeNull()
        }

        test("a failure with its trace, and every exception of ours, survives serialization") {
            val thrown = Shell().thrown { throw IOException("closed") }
            val copy = copyOf(thrown)
            RetryTrace.of(copy).toString() shouldBe RetryTrace.of(thrown).toString()
            RetryTrace.of(copy)!!.failures shouldContainExactly RetryTrace.of(thrown)!!.failures
            val bad = BadResultException(Any(), 3, StopReason.ATTEMPTS)
            for (own in listOf(bad, NoPermitException(StopReason.RATE_LIMITED, 0), AttemptTimeoutException(2, 1_000))) {
                copyOf(own).toString() shouldBe own.toString()
            }
        }

        test("of a bad result the trace keeps its class, or status and code, and not the result") {
            val policy = RetryPolicy { onResult { Verdict.TRANSIENT } }
            val results = listOf("secret", null, Reply(410, "NoLongerHere"))
            val trace = Shell(policy).outcome(*results.map { { it } }.toTypedArray()).trace.shouldNotBeNull()
            trace.failures.map { it.what } shouldContainExactly
                listOf("result of java.lang.String", "result of null", "status 410 NoLongerHere")
        }
    })

private fun Shell.thrown(outcome: () -> Any?): Throwable =
    outcome(outcome).shouldBeInstanceOf<RetryOutcome.Failure>().failure

@Suppress("UNCHECKED_CAST")
private fun <T> copyOf(value: T): T {
    val bytes = ByteArrayOutputStream().also { ObjectOutputStream(it).writeObject(value) }.toByteArray()
    return ObjectInputStream(ByteArrayInputStream(bytes)).readObject() as T
}

private class Refuses : RuntimeException("no", null, false, false)
