package dev.reprise.differential

import dev.reprise.core.ErrorTable
import dev.reprise.core.HttpOutcome
import software.amazon.awssdk.awscore.internal.AwsErrorCode
import java.io.EOFException
import java.io.IOException
import java.io.UncheckedIOException
import java.net.ConnectException
import java.net.SocketException
import java.net.SocketTimeoutException
import java.net.UnknownHostException
import java.net.http.HttpConnectTimeoutException
import java.net.http.HttpTimeoutException
import java.util.concurrent.TimeoutException
import javax.net.ssl.SSLHandshakeException

/** A response to an attempt of ours. */
class Response(override val status: Int, override val errorCode: String?) : HttpOutcome() {
    override fun header(name: String): String? = null
}

/** Answers of services and exceptions of networks. */
object Failures {
    val statuses = listOf(400, 401, 403, 404, 408, 409, 413, 429, 500, 501, 502, 503, 504, 505, 509)

    val codes: List<String?> =
        (
            AwsErrorCode.THROTTLING_ERROR_CODES + AwsErrorCode.RETRYABLE_ERROR_CODES +
                AwsErrorCode.DEFINITE_CLOCK_SKEW_ERROR_CODES + AwsErrorCode.POSSIBLE_CLOCK_SKEW_ERROR_CODES +
                ErrorTable.THROTTLING_CODES + listOf("IDPCommunicationError", "ExpiredToken", "ValidationException")
            ).toList() + null

    val exceptions: List<Exception> = listOf(
        IOException(), EOFException(), UncheckedIOException(IOException()), ConnectException(), UnknownHostException(),
        SocketException("Connection reset"), SocketTimeoutException(), HttpConnectTimeoutException("x"),
        HttpTimeoutException("x"), SSLHandshakeException("x"), TimeoutException(), IllegalStateException(),
    )
}
