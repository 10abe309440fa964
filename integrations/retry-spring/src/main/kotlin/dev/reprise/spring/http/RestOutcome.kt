package dev.reprise.spring.http

import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.http.ErrorCodes
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.IOException

/**
 * A response of RestClient or RestTemplate as the classifiers see it: the result of an attempt, also in listeners'
 * events. Its head, and the bytes that were read of its body, stay readable when the response is rejected and closed.
 */
public class RestOutcome internal constructor(
    internal val response: ClientHttpResponse,
    method: HttpMethod,
    goodBytes: Int,
    time: BodyLimit? = null,
) : HttpOutcome() {
    override val status: Int = response.statusCode.value()

    internal val held: HeldBody? = HeldBody.of(response, method, status, goodBytes, time)

    /** All headers of the response. */
    public val headers: HttpHeaders get() = response.headers

    override val receivedAtEpochMillis: Long = System.currentTimeMillis()

    override val errorCode: String? get() = ErrorCodes.of(this, held?.bytes)

    override val errorMessage: String? get() = ErrorCodes.messageOf(this, held?.bytes)

    /** The whole body as it was read. `null` if it is longer than the bytes that are read within the attempt. */
    override val body: ByteArray? get() = held?.whole?.copyOf()

    override fun header(name: String): String? = headers.getFirst(name)

    /** Closes the response, whose connection can be used again if its body was read to the end. */
    internal fun close(): Unit = if (held?.isWhole == true) response.close() else abandon(response)

    internal companion object {
        /** Closes [response]. Spring would read its body to the end, and that may never come: the body is closed first. */
        fun abandon(response: ClientHttpResponse) {
            try {
                response.body.close()
            } catch (_: IOException) {
                // It is not delivered.
            }
            response.close()
        }
    }
}
