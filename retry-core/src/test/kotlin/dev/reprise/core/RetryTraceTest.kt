package dev.reprise.core

import dev.reprise.core.backoff.Backoff
import dev.reprise.core.classify.Verdict
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
import java.io.IOException
import java.util.concurrent.CompletionException
import kotlin.time.Duration.Companion.milliseconds

class RetryTraceTest :
    FunSpec({
        test("a trace tells the call in one line and each failure in another") {
            val recorded = Shell(listeners = listOf(Recorder()))
            val call =
                recorded.run(
                    { throw IOException("reset by https://host/a?token=1") },
                    { recorded.now += 7_000_000 },
                )
            call.failure().shouldBeNull()
            val failed =
                recorded.run(
                    { throw IOException("reset by https://host/a?token=1") },
                    {
                        recorded.now += 7_000_000
                        throw IOException("closed")
                    },
                )
            RetryTrace.of(failed.failure()!!).toString() shouldBe
                """
                RetryTrace: 3 attempts, stopped: attempts, waited 150ms, took 164ms
                    attempt 1: java.io.IOException: reset by https://host/a?..., then waited 50ms
                    attempt 2: java.io.IOException: closed, then waited 100ms
                    attempt 3: java.io.IOException: closed
                """.trimIndent()
        }

        test("a call that nobody watches counts its time from the first failure, and says so") {
            val trace = RetryTrace.of(Shell().run({ throw IOException() }).failure()!!).shouldNotBeNull()
            trace.isFirstAttemptTimed shouldBe false
            trace.message shouldContain "waited 150ms, took 150ms after the first attempt\n"
            val one = RetryTrace.of(Shell(RetryPolicy.NONE).run({ throw IOException() }).failure()!!).shouldNotBeNull()
            one.elapsedNanos shouldBe -1
            one.message shouldBe "1 attempt, stopped: attempts, waited 0s\n    attempt 1: java.io.IOException"
        }

        test("a trace of a thousand attempts is no longer than one of thirteen") {
            val long = "x".repeat(1000)
            val policy =
                RetryPolicy {
                    maxAttempts = 1000
                    quota = null
                    backoff = Backoff.fixed(1.milliseconds)
                }
            var n = 0
            val trace = RetryTrace.of(
                Shell(policy).run({
                    throw IOException("${++n} $long")
                }).failure()!!,
            ).shouldNotBeNull()
            trace.attempts shouldBe 1000
            trace.failures.map { it.number } shouldContainExactly (1..4) + (992..1000)
            trace.failures.all { it.what.startsWith("java.io.IOException: ${it.number} x") } shouldBe true
            trace.message shouldContain "\n    (987 more)\n"
            trace.message.length shouldBeLessThan 13 * (LONGEST_LINE + 60) + 100
            trace.stackTrace.toList().shouldBeEmpty()
        }

        test("asking twice for the failure attaches one trace") {
            val call = Shell().run({ throw IOException() })
            val failure = call.failure().shouldNotBeNull()
            shouldThrow<IOException> { call.result<Unit>() } shouldBeSameInstanceAs failure
            shouldThrow<IOException> { call.outcome<Unit>().getOrThrow() } shouldBeSameInstanceAs failure
            failure.suppressed.toList() shouldHaveSize 1
        }

        test("an exception that refuses suppression is thrown without a trace, and the outcome has it") {
            val closed = object : IOException("closed") {
                override fun fillInStackTrace() = this
            }
            val refuses = Refuses()
            val policy = RetryPolicy.STANDARD.with { onFailure { Verdict.TRANSIENT } }
            val call = RetryCall(Shell(policy).setup)
            repeat(3) {
                if (it > 0) call.attemptStarts()
                call.failed(refuses)
            }
            call.failure() shouldBeSameInstanceAs refuses
            RetryTrace.of(refuses).shouldBeNull()
            call.outcome<Unit>().trace.shouldNotBeNull().attempts shouldBe 3
            RetryTrace.of(Shell().run({ throw closed }).failure()!!).shouldNotBeNull()
        }

        test("an exception that a thousand calls share keeps a few traces, and each outcome its own") {
            val shared = IOException("shared")
            val outcomes = List(1000) { Shell().run({ throw shared }).outcome<Unit>() }
            shared.suppressed.toList() shouldHaveSize 4
            outcomes.map { System.identityHashCode(it.trace) }.toSet().size shouldBe
                outcomes.map { it.trace }.toSet().size
            outcomes.all { it.trace!!.attempts == 3 } shouldBe true
        }

        test("the trace is found inside what futures and coroutines wrap around a failure") {
            val failure = Shell().run({ throw IOException() }).failure()!!
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
            val call = Shell(listeners = listOf(LoggingListener(ListLogger()))).run({ throw nasty })
            call.failure() shouldBeSameInstanceAs nasty
            call.outcome<Unit>().trace!!.failures.first().what shouldContain "whose text cannot be had"
        }

        test("a bad result that the policy throws carries the trace too") {
            val policy =
                RetryPolicy {
                    onResult { if (it == "pending") Verdict.TRANSIENT else null }
                    onBadResult = OnBadResult.THROW
                }
            val call = Shell(policy).run({ "pending" })
            val thrown = shouldThrow<BadResultException> { call.outcome<String>().getOrThrow() }
            RetryTrace.of(thrown).shouldNotBeNull().failures.map { it.what } shouldContainExactly
                List(3) { "result pending" }
        }

        test("a success after a retry has a trace, one at the first attempt has none") {
            val late = Shell().run({ throw IOException("once") }, { "up" }).outcome<String>()
            late.shouldBeInstanceOf<RetryOutcome.Success<String>>().trace!!.failures.map {
                it.number
            } shouldContainExactly
                listOf(1)
            Shell(listeners = listOf(Recorder())).run({ "up" }).outcome<String>().trace.shouldBeNull()
            Shell(RetryPolicy { trace = false }).run({ throw IOException() }).outcome<String>().trace.shouldBeNull()
        }

        test("outcomes compare by value") {
            val one = Shell().run({ throw IOException("once") }, { "up" }).outcome<String>()
            one shouldBe Shell().run({ throw IOException("once") }, { "up" }).outcome<String>()
            (one == Shell(listeners = listOf(Recorder())).run({ "up" }).outcome<String>()) shouldBe false
        }
    })

private class Refuses : RuntimeException("no", null, false, false)
