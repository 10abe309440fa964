package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import java.util.function.Function
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import java.time.Duration as JavaDuration

class CustomBackoffTest :
    FunSpec({
        fun policy(backoff: Backoff) = RetryPolicy {
            maxAttempts = 4
            this.backoff = backoff
            onResult { if (it == "bad") Verdict.THROTTLING else null }
        }

        test("a function sees the failure or the result, the kind, the time and the wait before, once for each retry") {
            val broken = IOException("broken")
            val asked = mutableListOf<NextRetry>()
            val backoff = Backoff.custom { retry ->
                asked += retry
                (10 * (retry.retryIndex + 1)).milliseconds
            }
            Shell(policy(backoff)).run({ throw broken }, { "bad" }, { "good" })
            asked.map { it.retryIndex } shouldContainExactly listOf(0, 1)
            asked[0].failure shouldBeSameInstanceAs broken
            asked[0].result shouldBe null
            asked[0].kind shouldBe FailureKind.TRANSIENT
            asked[0].previousDelay shouldBe null
            asked[0].elapsed shouldBe Duration.ZERO
            asked[1].failure shouldBe null
            asked[1].result shouldBe "bad"
            asked[1].kind shouldBe FailureKind.THROTTLING
            asked[1].previousDelay shouldBe 10.milliseconds
            asked[1].elapsed shouldBe 10.milliseconds
            asked[1].getElapsed() shouldBe JavaDuration.ofMillis(10)
        }

        test("the function is asked once for each retry also where a listener is told its ceiling") {
            var asked = 0
            val ceilings = mutableListOf<Duration>()
            val listener = RetryListener { if (it is RetryEvent.RetryScheduled) ceilings += it.ceiling }
            val backoff = Backoff.custom { _ -> (++asked).milliseconds }
            Shell(policy(backoff), listOf(listener)).run({ throw IOException() })
            asked shouldBe 3
            ceilings shouldContainExactly listOf(1.milliseconds, 2.milliseconds, 3.milliseconds)
        }

        test("null stops, also for one kind of failure only, and what was paid comes back") {
            val backoff = Backoff.perKind(Backoff.IMMEDIATE, throttling = Backoff.custom { _ -> null })
            val shell = Shell(policy(backoff))
            shell.run({ throw IOException() }, { "bad" }).reason shouldBe StopReason.REJECTED
            shell.quota!!.available shouldBe 500 - 14
        }

        test("a negative duration is no wait, and one without end reaches every deadline") {
            Shell(policy(Backoff.custom { _ -> (-5).milliseconds })).run({ throw IOException() }, { "good" })
                .reason shouldBe StopReason.SUCCESS
            val limited = policy(Backoff.custom { _ -> Duration.INFINITE }).with { deadline = 5.milliseconds }
            Shell(limited).run({ throw IOException() }).reason shouldBe StopReason.DEADLINE
        }

        test("Java's function returns its own durations, and equal functions make equal backoffs") {
            val function = Function<NextRetry, JavaDuration?> { JavaDuration.ofMillis(it.retryIndex + 7L) }
            val backoff = Backoff.custom(function)
            backoff.delayNanos(0, FailureKind.TRANSIENT, -1) { 1.0 } shouldBe 7_000_000
            Backoff.custom(Jitter.FULL, function).delayNanos(1, FailureKind.TRANSIENT, -1) { 0.5 } shouldBe 4_000_000
            (Backoff.custom(function) == backoff) shouldBe true
            (Backoff.custom(Jitter.FULL, function) == backoff) shouldBe false
        }
    })
