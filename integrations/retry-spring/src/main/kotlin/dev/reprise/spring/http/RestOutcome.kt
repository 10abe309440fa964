package dev.reprise.spring.http

import dev.reprise.core.RetryPolicy
import dev.reprise.core.shell.http.ReadOutcome
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.ReadAhead
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.InputStream

/**
 * A response of RestClient or RestTemplate as the classifiers see it: the result of an attempt, also in listeners'
 * events. Its head, and the bytes that were read of its body, stay readable when the response is rejected and closed.
 */
public class RestOutcome internal constructor(
    internal val response: ClientHttpResponse,
    private val method: HttpMethod,
    goodBytes: Int,
    policy: RetryPolicy,
    internal val wire: Wire = Wire(response),
    time: ExchangeLimit? = null,
) : ReadOutcome(System.currentTimeMillis()) {
    override val status: Int = response.statusCode.value()

    /** Whether another attempt is wanted, or this is at least no good response. */
    internal val isRejected: Boolean = isRejectedUnread(policy) || isFailure

    internal val held: ReadAhead? =
        if (isRejected && !isFailure) null else HeldBody.of(response, method, status, goodBytes, wire, time)

    /** All headers of the response. */
    public val headers: HttpHeaders get() = response.headers

    override val read: ByteArray? get() = held?.bytes()

    override val isWhole: Boolean get() = held?.isWhole == true

    override fun header(name: String): String? = headers.getFirst(name)

    /** The body for the caller: what was read of it, then the rest within [limit], which may be an exception. */
    internal fun body(limit: ExchangeLimit?): InputStream =
        held?.body(limit) ?: HeldBody.bodyOf(response, method, status, wire).let { limit?.over(it) ?: it }

    /** Closes the response, whose connection can be used again if its body was read to the end. Never throws. */
    internal fun close() {
        if (isWhole) Wire.quietly(response::close) else wire.drop()
    }
}
