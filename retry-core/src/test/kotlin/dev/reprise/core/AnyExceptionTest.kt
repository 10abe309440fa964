package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.int
import io.kotest.property.checkAll
import java.io.FileNotFoundException
import java.io.IOException
import java.io.InterruptedIOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import java.net.http.HttpConnectTimeoutException
import java.nio.channels.ClosedByInterruptException
import java.nio.channels.UnresolvedAddressException
import java.sql.SQLTransientConnectionException
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeoutException

class AnyExceptionTest :
    FunSpec({
        val policy = RetryPolicy.ANY_EXCEPTION

        val mistakes = listOf(
            ArithmeticException(), ArrayStoreException(), ClassCastException(), ConcurrentModificationException(),
            IllegalArgumentException(), IllegalMonitorStateException(), IndexOutOfBoundsException(),
            NegativeArraySizeException(), NullPointerException(), NumberFormatException(),
            StringIndexOutOfBoundsException(), UnsupportedOperationException(), UninitializedPropertyAccessException(),
            NoWhenBranchMatchedException(),
        )
        val interrupts = listOf(InterruptedException(), InterruptedIOException(), ClosedByInterruptException())
        val errors = listOf(OutOfMemoryError(), StackOverflowError(), AssertionError(), NoClassDefFoundError(), Error())
        val others = listOf(
            Exception(), RuntimeException(), IllegalStateException(), NoSuchElementException(), IOException(),
            FileNotFoundException(), SQLTransientConnectionException(), TimeoutException(),
            ReflectiveOperationException(), object : Exception("of the user's") {},
        )

        /** [inner] in [depth] wrappers. */
        fun wrapped(inner: Throwable, depth: Int): Throwable = (1..depth).fold(inner) { cause, i ->
            when (i % 3) {
                0 -> RuntimeException(cause)
                1 -> CompletionException(cause)
                else -> ExecutionException(cause)
            }
        }

        test("kinds are told apart, and what proves that nothing was sent, as with the standard classifier") {
            val kinds = mapOf(
                HttpConnectTimeoutException("late") to (FailureKind.TIMEOUT to true),
                UnknownHostException() to (FailureKind.TRANSIENT to true),
                UnresolvedAddressException() to (FailureKind.TRANSIENT to true),
                wrapped(ConnectException(), 2) to (FailureKind.TRANSIENT to true),
                SocketTimeoutException() to (FailureKind.TIMEOUT to false),
                IOException() to (FailureKind.TRANSIENT to false),
            )
            for ((failure, kind) in kinds) {
                for (classifier in listOf(policy.classifier, RetryPolicy.STANDARD.classifier)) {
                    val verdict = classifier.classifyFailure(failure) as Verdict.Retry
                    withClue(failure) { (verdict.kind to verdict.unsent) shouldBe kind }
                }
            }
        }

        test("every exception is retried, however it is wrapped") {
            checkAll(Arb.element(others), Arb.int(0..5)) { failure, depth ->
                policy.classifier.classifyFailure(wrapped(failure, depth)).shouldBeInstanceOf<Verdict.Retry>()
            }
        }

        test("errors, programming mistakes and interrupts are not, however they are wrapped") {
            checkAll(Arb.element(mistakes + errors + interrupts), Arb.int(0..5)) { failure, depth ->
                withClue("$failure in $depth") {
                    policy.classifier.classifyFailure(wrapped(failure, depth)) shouldBe Verdict.Reject
                }
            }
        }

        test("what says itself what it means is heard, and the user's own rules come first") {
            class Own(override val failureKind: FailureKind?) :
                IllegalArgumentException(),
                RetryableFailure
            policy.classifier.classifyFailure(Own(FailureKind.TRANSIENT)).shouldBeInstanceOf<Verdict.Retry>()
            policy.classifier.classifyFailure(Own(null)) shouldBe Verdict.Reject
            policy.with { retryOn<NumberFormatException>() }.classifier
                .classifyFailure(NumberFormatException()).shouldBeInstanceOf<Verdict.Retry>()
            policy.with { rejectOn<IOException>() }.classifier.classifyFailure(IOException()) shouldBe Verdict.Reject
        }

        test("all else is standard mode") {
            policy.with { classifier = RetryPolicy.STANDARD.classifier } shouldBe RetryPolicy.STANDARD
        }
    })
