package dev.reprise.okhttp

import dev.reprise.core.HttpOutcome
import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ErrorCodes
import okhttp3.Headers
import okhttp3.Response
import java.io.IOException
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds

/**
 * A response as the classifiers see it: the result of an attempt, also in listeners' events. Its head, and the bytes
 * that were read of its body, stay readable when the response is rejected and closed.
 */
public class OkHttpOutcome internal constructor(
    internal val response: Response,
    peek: BodyPeek,
    /** Whether OkHttp would have repeated the request by itself, had that not been left to the policy. */
    internal val replacesOwnRepeat: Boolean = false,
) : HttpOutcome() {
    private val limit = peek.bytesOf(response.code)

    private var isWhole = false

    /** The beginning of the body. */
    private val read: ByteArray? = if (limit > 0) readBody() else null
    private val isGood get() = response.code < FIRST_FAILURE

    /** Whether a cache alone was asked: what it lacks, it lacks the next time too. */
    internal val isOfCacheAlone: Boolean
        get() = response.networkResponse == null && response.request.cacheControl.onlyIfCached

    override val status: Int get() = response.code

    /** All headers of the response. */
    public val headers: Headers get() = response.headers

    override val errorCode: String? get() = ErrorCodes.of(this, read)

    /** The service's error message, if a failure's body was read; see [OkHttpRetriesBuilder.errorBodyBytes]. */
    override val errorMessage: String? get() = ErrorCodes.messageOf(this, read)

    /**
     * The whole body as the server sent it. `null` if it was not read, is longer than the bytes that are read for the
     * policy, or was compressed and is unpacked already.
     */
    override val body: ByteArray? get() = read?.takeIf { isWhole && !isUnpacked() }?.copyOf()

    override val receivedAtEpochMillis: Long get() = response.receivedResponseAtMillis

    override fun header(name: String): String? {
        // Headers.get returns the last one.
        val headers = response.headers
        for (i in 0 until headers.size) if (headers.name(i).equals(name, ignoreCase = true)) return headers.value(i)
        return null
    }

    /** Reads what the policy looks at; the caller can still read it. A good body may be a stream without end: not that. */
    private fun readBody(): ByteArray? {
        if (isGood && response.body.contentLength() !in 0..limit) return null
        val source = response.body.source()
        val end = System.nanoTime() + LONGEST_PEEK.inWholeNanoseconds
        // A timeout of OkHttp's closes the connection, and the caller may want the rest. So each step waits for one byte.
        val silence = source.timeout().timeoutNanos()
        if (silence == 0L) source.timeout().timeout(LONGEST_SILENCE.inWholeNanoseconds, TimeUnit.NANOSECONDS)
        try {
            while (!isWhole && source.buffer.size <= limit && System.nanoTime() < end) {
                isWhole = !source.request(source.buffer.size + 1)
            }
        } catch (_: IOException) {
            // A body that breaks off: the status has to do.
            return null
        } finally {
            source.timeout().timeout(silence, TimeUnit.NANOSECONDS)
        }
        return source.buffer.copy().readByteArray(minOf(source.buffer.size, limit + 1L))
    }

    private fun isUnpacked() =
        response.networkResponse?.header("Content-Encoding") != response.header("Content-Encoding")

    private companion object {
        const val FIRST_FAILURE = 300
        val LONGEST_PEEK = 1.seconds

        /** The wait for a byte if the client sets no read timeout: OkHttp's default. */
        val LONGEST_SILENCE = 10.seconds
    }
}
