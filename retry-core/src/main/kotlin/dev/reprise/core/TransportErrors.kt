package dev.reprise.core

import dev.reprise.core.shell.causeOf
import dev.reprise.core.shell.firstOfCauses
import java.io.FileNotFoundException
import java.io.IOException
import java.io.InterruptedIOException
import java.net.ConnectException
import java.net.NoRouteToHostException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import java.nio.channels.ClosedByInterruptException
import java.nio.channels.UnresolvedAddressException
import java.nio.file.FileSystemException
import java.util.concurrent.TimeoutException

/**
 * Classifies what goes wrong between client and server: timeouts, refused, reset and closed connections, failed
 * look-ups, TLS and proxies. Looks through up to ten nested causes, as the AWS SDK for JavaScript v3 does.
 *
 * Files that are missing and threads that are interrupted raise `IOException`s too; those are not the network's and stay
 * final. So does the rejection of a circuit breaker that is open.
 *
 * Knows by name what Lettuce, Jedis and the clients of Anthropic and OpenAI throw for timeouts, broken connections, throttles
 * and errors of the server.
 */
public object TransportErrors : NamesRejections {
    private val unsentConnect = Verdict.Retry(FailureKind.TRANSIENT, "connection refused", unsent = true)
    private val unsentHost = Verdict.Retry(FailureKind.TRANSIENT, "unknown host", unsent = true)
    private val unsentTimeout = Verdict.Retry(FailureKind.TIMEOUT, "connect timeout", unsent = true)
    private val timeout = Verdict.Retry(FailureKind.TIMEOUT, "timeout")
    private val transport = Verdict.Retry(FailureKind.TRANSIENT, "transport error")

    override fun classifyFailure(failure: Throwable): Verdict? =
        firstOfCauses(failure) { verdictOn(it) } ?: NamedErrors.TABLE.classifyFailure(failure)

    override val resultScope: ResultScope get() = ResultScope.NONE

    private fun verdictOn(failure: Throwable): Verdict? = when (failure) {
        is IOException if isNamed(failure, "ConnectTimeout") -> unsentTimeout
        is ConnectException, is NoRouteToHostException -> unsentConnect
        is UnknownHostException, is UnresolvedAddressException -> unsentHost
        is SocketTimeoutException, is TimeoutException -> timeout
        is InterruptedIOException, is ClosedByInterruptException -> Verdict.Reject
        is IOException if causeOf(failure) is InterruptedException -> Verdict.Reject
        is FileNotFoundException, is FileSystemException -> Verdict.Reject
        is IOException -> if (isNamed(failure, "Timeout")) timeout else transport
        else -> null
    }

    /**
     * java.net.http, Apache, OkHttp and Ktor have timeout exceptions of their own, and no type of them is known here. Java's own
     * test: Kotlin's brings the classes of `kotlin.text` to the first failure of a program.
     */
    @Suppress("PLATFORM_CLASS_MAPPED_TO_KOTLIN")
    private fun isNamed(failure: Throwable, word: String) =
        (failure.javaClass.simpleName as java.lang.String).contains(word)

    override fun toString(): String = "transport"
}
