package dev.reprise.core

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import java.io.FileNotFoundException
import java.io.IOException
import java.io.InterruptedIOException
import java.io.UncheckedIOException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.nanoseconds

private class Own(override val failureKind: FailureKind?, override val serverDelay: Duration? = null) :
    RuntimeException(),
    RetryableFailure

class ClassifierTest :
    FunSpec({
        val standard = RetryPolicy.STANDARD_CLASSIFIER

        fun kindOf(failure: Throwable) = (standard.classifyFailure(failure) as? Verdict.Retry)?.kind

        test("the code decides before the status, in results and in exceptions alike") {
            for ((answer, kind) in listOf(
                Reply(503, "SlowDown") to FailureKind.THROTTLING,
                Reply(400, "ThrottlingException") to FailureKind.THROTTLING,
                Reply(400, "InternalError") to FailureKind.TRANSIENT,
                Reply(500, "ValidationException") to FailureKind.TRANSIENT,
                Reply(429) to FailureKind.THROTTLING,
                Reply(503) to FailureKind.TRANSIENT,
            )) {
                (standard.classifyResult(answer) as Verdict.Retry).kind shouldBe kind
                kindOf(ReplyException(answer)) shouldBe kind
                kindOf(IllegalStateException(ReplyException(answer))) shouldBe kind
            }
        }

        test("statuses that another attempt would not change are rejected, and good ones left alone") {
            for (status in listOf(400, 403, 404, 409, 501, 505, 509)) {
                standard.classifyResult(Reply(status)) shouldBe Verdict.Reject
            }
            for (status in listOf(200, 204, 302, 304)) standard.classifyResult(Reply(status)).shouldBeNull()
            standard.classifyResult("anything else").shouldBeNull()
        }

        test("the transport's errors are transient, timeouts are timeouts, and what was not sent is known") {
            kindOf(IOException("reset")) shouldBe FailureKind.TRANSIENT
            kindOf(SocketTimeoutException()) shouldBe FailureKind.TIMEOUT
            kindOf(UncheckedIOException(IOException())) shouldBe FailureKind.TRANSIENT
            for (failure in listOf(ConnectException("refused"), UnknownHostException("nowhere"))) {
                standard.classifyFailure(failure).shouldBeInstanceOf<Verdict.Retry>().unsent shouldBe true
            }
        }

        test("local files and interrupted threads are not the network's") {
            standard.classifyFailure(FileNotFoundException()) shouldBe Verdict.Reject
            standard.classifyFailure(InterruptedIOException()) shouldBe Verdict.Reject
            standard.classifyFailure(IllegalStateException()).shouldBeNull()
        }

        test("a failure may speak for itself, from inside a chain of causes too") {
            kindOf(Own(FailureKind.THROTTLING)) shouldBe FailureKind.THROTTLING
            kindOf(RuntimeException(Own(FailureKind.TRANSIENT))) shouldBe FailureKind.TRANSIENT
            standard.classifyFailure(Own(null)) shouldBe Verdict.Reject
            standard.classifyFailure(
                Own(FailureKind.TRANSIENT, 7.nanoseconds),
            ).shouldBeInstanceOf<Verdict.Retry>().serverDelay shouldBe ServerDelay(7, null)
        }

        test("a rule of the user's stands before the tables") {
            val mine = Classifier.onException(IllegalStateException::class.java, FailureKind.THROTTLING) or standard
            (mine.classifyFailure(IllegalStateException()) as Verdict.Retry).kind shouldBe FailureKind.THROTTLING
            (mine.classifyFailure(IOException()) as Verdict.Retry).kind shouldBe FailureKind.TRANSIENT
            val byCause = Classifier.onCause(IllegalStateException::class.java)
            (byCause.classifyFailure(RuntimeException(IllegalStateException())) as Verdict.Retry).kind shouldBe
                FailureKind.TRANSIENT
        }
    })
