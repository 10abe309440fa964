package dev.reprise.core

import dev.reprise.core.shell.layers.GiveUpMark
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.io.IOException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import java.time.Duration as JavaDuration

/** The properties, words and texts of outcomes, traces and options. */
class OutcomeFactsTest :
    FunSpec({
        val lost = IOException("lost")

        test("an outcome gives its value, or throws what the call would have thrown") {
            val good = RetryOutcome.Success("a", 2, 50, trace = null)
            good.getOrThrow() shouldBe "a"
            "$good" shouldBe "Success(a, 2 attempts)"
            val kept = RetryOutcome.BadResult("b", 3, 50, StopReason.QUOTA, trace = null, failure = null)
            kept.getOrThrow() shouldBe "b"
            "$kept" shouldBe "BadResult(b, 3 attempts, quota)"
            val refused = RetryOutcome.BadResult("b", 3, 50, StopReason.QUOTA, trace = null, failure = lost)
            shouldThrow<IOException> { refused.getOrThrow() } shouldBeSameInstanceAs lost
            refused.failure shouldBeSameInstanceAs lost
            val failed = RetryOutcome.Failure(lost, 3, 50, StopReason.DEADLINE, trace = null)
            shouldThrow<IOException> { failed.getOrThrow() } shouldBeSameInstanceAs lost
            "$failed" shouldBe "Failure(java.io.IOException: lost, 3 attempts, deadline)"
        }

        test("an outcome carries the mark of a call that gave up") {
            val mark = GiveUpMark(tick = 1, place = null)
            RetryOutcome.Failure(lost, 3, 50, StopReason.ATTEMPTS, null, mark).giveUpMark shouldBeSameInstanceAs mark
            RetryOutcome.Success("a", 1, 0, null).giveUpMark.shouldBeNull()
        }

        test("a trace tells who, how long in all and how long in waits, if it is known") {
            val known = RetryTrace("users", 3, StopReason.ATTEMPTS, null, 150_000_000, 0, null)
            known.retrier shouldBe "users"
            known.totalDelay shouldBe 150.milliseconds
            known.getTotalDelay() shouldBe JavaDuration.ofMillis(150)
            known.elapsed shouldBe 0.milliseconds
            known.getElapsed() shouldBe JavaDuration.ZERO
            val unknown = RetryTrace(null, 3, StopReason.ATTEMPTS, null, 0, RetryTrace.UNKNOWN, null)
            unknown.elapsed.shouldBeNull()
            unknown.getElapsed().shouldBeNull()
        }

        test("the newest trace of the nearest cause that has one counts") {
            val traces = List(3) { RetryTrace(null, it + 1, StopReason.ATTEMPTS, null, 0, -1, null) }
            val cause = IOException("cause").apply { addSuppressed(traces[0]) }
            val failure = IOException(cause)
            RetryTrace.of(failure) shouldBeSameInstanceAs traces[0]
            failure.addSuppressed(traces[1])
            failure.addSuppressed(traces[2])
            RetryTrace.of(failure) shouldBeSameInstanceAs traces[2]
            RetryTrace.of(IOException()).shouldBeNull()
        }

        test("limits are set alike from Kotlin and from Java") {
            val kotlin = RetryPolicy {
                deadline = 5.seconds
                attemptTimeout = 1.seconds
            }
            val java = RetryPolicy.builder().deadline(
                JavaDuration.ofSeconds(5),
            ).attemptTimeout(JavaDuration.ofSeconds(1)).build()
            java shouldBe kotlin
            java.deadline shouldBe 5.seconds
            val none = java.toBuilder().deadline(null as JavaDuration?).attemptTimeout(null as JavaDuration?).build()
            none.deadline.shouldBeNull()
            none shouldBe RetryPolicy.STANDARD
        }

        test("a builder of options reads as it was set") {
            val builder = CallOptions("read").toBuilder().longPolling(true).repeat(Repeat.NEVER)
            builder.operation shouldBe "read"
            builder.longPolling shouldBe true
            builder.repeat shouldBe Repeat.NEVER
            builder.longPolling(false).longPolling shouldBe false
        }

        test("words are those of documents and metrics") {
            StopReason.entries.joinToString { it.word } shouldBe
                "success, attempts, retried-below, quota, deadline, time, rejected, not-replayable, rate-limited, cancelled"
            WhenRetriedBelow.entries.map { it.word } shouldBe listOf("stop", "retry")
        }
    })
