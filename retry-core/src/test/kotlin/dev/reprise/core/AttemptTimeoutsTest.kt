package dev.reprise.core

import dev.reprise.core.shell.http.RetryReport
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.property.Arb
import io.kotest.property.arbitrary.int
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.IOException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import java.time.Duration as JavaDuration

class AttemptTimeoutsTest :
    FunSpec({
        test("each attempt has the limit of its number, and those beyond the list have the last") {
            checkAll(200, Arb.list(Arb.int(1..100), 1..5)) { millis ->
                val policy = RetryPolicy {
                    maxAttempts = 8
                    attemptTimeouts = millis.map { it.milliseconds }
                    quota = null
                }
                val left = mutableListOf<Duration?>()
                val call = Shell(policy).begin()
                while (!call.isOver) {
                    left += call.begins().timeLeft
                    call.ended(IOException())
                }
                left shouldContainExactly List(8) { millis[minOf(it, millis.size - 1)].milliseconds }
            }
        }

        test("a limit that was counted down a little later reads as it was set") {
            fun text(limit: Duration) = AttemptTimeoutException(1, limit.inWholeNanoseconds).message
            checkAll(100, Arb.int(11..9_999), Arb.int(0..999_999)) { millis, late ->
                text(millis.milliseconds - late.nanoseconds) shouldBe text(millis.milliseconds)
            }
            text(100.milliseconds) shouldBe "attempt 1 took longer than 100ms"
            text(1.5.milliseconds) shouldBe "attempt 1 took longer than 1.5ms"
        }

        test("one attempt is one attempt in every text") {
            val one = Shell(RetryPolicy { maxAttempts = 1 }).begin().run {
                begins()
                ended(IOException())
                outcome()
            }
            val texts = listOf(
                "${RetryReport(one)}",
                "${BadResultException("bad", 1, StopReason.ATTEMPTS).message}",
                "${DeadlineException(1).message}",
                "${RetryPolicy { maxAttempts = 1 }}",
            )
            for (text in texts) text shouldContain "1 attempt\\b".toRegex()
            "${RetryReport(one)}" shouldBe "1 attempt, stopped: attempts, waited 0s"
        }

        test("one for all is the list of one, in Kotlin and in Java") {
            val one = RetryPolicy { attemptTimeout = 2.seconds }
            RetryPolicy { attemptTimeouts = listOf(2.seconds) } shouldBe one
            RetryPolicy { attemptTimeouts = listOf(2.seconds, 2.seconds) } shouldBe one
            RetryPolicy.builder().attemptTimeouts(JavaDuration.ofSeconds(2)).build() shouldBe one
            one.attemptTimeouts shouldContainExactly listOf(2.seconds)
            one.getAttemptTimeouts() shouldContainExactly listOf(JavaDuration.ofSeconds(2))
        }

        test("none is no limit, and an attempt after limited ones may have none") {
            RetryPolicy { attemptTimeouts = emptyList() } shouldBe RetryPolicy.STANDARD
            RetryPolicy.STANDARD.attemptTimeouts.shouldBeEmpty()
            val grown = RetryPolicy { attemptTimeouts = listOf(1.seconds, Duration.INFINITE) }
            grown.attemptTimeouts shouldContainExactly listOf(1.seconds, Duration.INFINITE)
            grown.isTimed shouldBe true
            "$grown" shouldContain "attempt timeout 1s, then unlimited"
        }

        test("a limit that is not above zero is refused") {
            shouldThrow<IllegalArgumentException> { RetryPolicy { attemptTimeouts = listOf(1.seconds, Duration.ZERO) } }
                .message shouldBe "attemptTimeout must be above zero: 0s"
        }
    })
