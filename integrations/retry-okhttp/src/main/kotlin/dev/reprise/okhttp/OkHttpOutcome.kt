package dev.reprise.okhttp

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ReadOutcome
import okhttp3.Headers
import okhttp3.Protocol
import okhttp3.Response
import okio.blackholeSink
import java.io.IOException
import java.util.concurrent.TimeUnit

/** OkHttp's time of a response, or the present one of a response that an interceptor has made without a time. */
internal fun Response.receivedAt(): Long = receivedResponseAtMillis.takeIf { it > 0 } ?: System.currentTimeMillis()

/**
 * A response as the classifiers see it: the result of an attempt, also in listeners' events. Its head, and the bytes
 * that were read of its body, stay readable when the response is rejected and closed.
 */
public class OkHttpOutcome internal constructor(
    internal val response: Response,
    peek: BodyPeek,
    /** Whether OkHttp would have repeated the request by itself, had that not been left to the policy. */
    internal val replacesOwnRepeat: Boolean = false,
) : ReadOutcome(response.receivedAt()) {
    private val limit = peek.bytesOf(response.code)

    private var hasEnded = false

    override val read: ByteArray? = if (limit > 0) readBody() else null

    /** Not of a body that was compressed and is unpacked already. */
    override val isWhole: Boolean
        get() = hasEnded && response.networkResponse?.header("Content-Encoding") == response.header("Content-Encoding")

    /** Whether a cache alone was asked: what it lacks, it lacks the next time too. */
    internal val isOfCacheAlone: Boolean
        get() = response.networkResponse == null && response.request.cacheControl.onlyIfCached

    override val status: Int get() = response.code

    /** All headers of the response. */
    public val headers: Headers get() = response.headers

    // Headers.get returns the last one.
    override fun header(name: String): String? =
        headers.firstOrNull { it.first.equals(name, ignoreCase = true) }?.second

    /** Reads what the policy looks at; the caller can still read it. A good body may be a stream without end: not that. */
    private fun readBody(): ByteArray? {
        if (!isFailure && response.body.contentLength() !in 0..limit) return null
        val source = response.body.source()
        val end = System.nanoTime() + BodyPeek.LONGEST_NANOS
        // A timeout of OkHttp's closes the connection, and the caller may want the rest. So each step waits for one byte.
        val silence = source.timeout().timeoutNanos()
        // OkHttp's default, if the client sets no read timeout.
        if (silence == 0L) source.timeout().timeout(10, TimeUnit.SECONDS)
        try {
            while (!hasEnded && source.buffer.size <= limit && System.nanoTime() < end) {
                hasEnded = !source.request(source.buffer.size + 1)
            }
        } catch (_: IOException) {
            // A body that breaks off: the status has to do.
            return null
        } finally {
            source.timeout().timeout(silence, TimeUnit.NANOSECONDS)
        }
        return source.buffer.copy().readByteArray(minOf(source.buffer.size, limit + 1L))
    }

    /**
     * Releases the response. OkHttp reads what is left of a body for up to 100 ms, to use its connection again; so does this of one
     * that its connection ends, for which closing a TLS socket would wait.
     */
    internal fun drop() {
        val mayEndConnection = response.body.contentLength() < 0 && response.protocol != Protocol.HTTP_2
        val body = if (mayEndConnection) response.body.source() else null
        body?.timeout()?.deadline(100, TimeUnit.MILLISECONDS)
        runCatching { body?.readAll(blackholeSink()) }
        response.close()
    }
}
