package dev.reprise.core

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.property.Arb
import io.kotest.property.arbitrary.element
import io.kotest.property.arbitrary.list
import io.kotest.property.checkAll
import java.io.FileNotFoundException
import java.io.IOException
import java.io.InterruptedIOException
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.UndeclaredThrowableException
import java.net.ConnectException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import java.nio.channels.ClosedByInterruptException
import java.nio.channels.UnresolvedAddressException
import java.security.cert.CertificateException
import java.sql.SQLException
import java.sql.SQLTransientConnectionException
import java.util.concurrent.CompletionException
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeoutException
import javax.net.ssl.SSLHandshakeException

private class Wants(override val failureKind: FailureKind?) :
    RuntimeException("x"),
    RetryableFailure

private val wrappers: List<(Throwable) -> Throwable> = listOf(
    { CompletionException(it) },
    { ExecutionException(it) },
    { UndeclaredThrowableException(it) },
    { InvocationTargetException(it) },
    { RuntimeException("wrapped", it) },
)

private val failures: List<() -> Throwable> = listOf(
    { IOException("x") },
    { ConnectException("x") },
    { SocketTimeoutException("x") },
    { TimeoutException("x") },
    { UnknownHostException("x") },
    { UnresolvedAddressException() },
    { InterruptedIOException("x") },
    { ClosedByInterruptException() },
    { FileNotFoundException("x") },
    { InterruptedException("x") },
    { SSLHandshakeException("x").apply { initCause(CertificateException("y")) } },
    { SQLException("x", "40001") },
    { SQLTransientConnectionException("x") },
    { AttemptTimeoutException(1, 5) },
    { Wants(null) },
    { Wants(FailureKind.THROTTLING) },
    { ReplyException(Reply(503)) },
    { ReplyException(Reply(404)) },
    { ReplyException(Reply(400, "Throttling")) },
    { ReplyException(Reply(429)) },
    { NullPointerException("x") },
    { AssertionError("x") },
    { IOException("stream was reset: REFUSED_STREAM") },
    { IOException("Too many follow-up requests: 21") },
)

/** Wrappers that a failure gets on its way through threads and proxies. */
class WrappedTest :
    FunSpec({
        val policies = listOf(
            RetryPolicy.STANDARD,
            RetryPolicy.STANDARD_STEADY,
            RetryPolicy.HTTP,
            RetryPolicy.ANY_EXCEPTION,
            RetryPolicy { classifyFirst(SqlErrors) },
            RetryPolicy { classifier = EngineErrors.addedTo(classifier) },
        )

        test("a failure means the same, however it is wrapped") {
            checkAll(300, Arb.element(policies), Arb.element(failures), Arb.list(Arb.element(wrappers), 0..8)) {
                    policy,
                    make,
                    wraps,
                ->
                val failure = make()
                val wrapped = wraps.fold(failure) { inner, wrap -> wrap(inner) }
                withClue("$policy $failure ${wraps.size}") {
                    policy.classifier.classifyFailure(wrapped) shouldBe policy.classifier.classifyFailure(failure)
                }
            }
        }
    })
