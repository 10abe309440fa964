package dev.reprise.okhttp

import dev.reprise.core.classify.ErrorCodes
import dev.reprise.core.classify.HttpOutcome
import dev.reprise.core.http.BodyPeek
import okhttp3.Headers
import okhttp3.Response
import java.io.IOException

/**
 * A response as the classifiers see it: what an attempt results in, and what listeners are told. Its head stays
 * readable when the response is rejected and closed, and so does what was read of its body.
 */
public class OkHttpOutcome internal constructor(internal val response: Response, peek: BodyPeek) : HttpOutcome() {
    private val limit = peek.bytesOf(response.code)

    /** The beginning of the body; one byte beyond [limit] says that there is more. */
    private val read: ByteArray? = if (limit > 0) readBody() else null
    private val isGood get() = response.code < FIRST_FAILURE

    override val status: Int get() = response.code

    /** All headers of the response. */
    public val headers: Headers get() = response.headers

    override val errorCode: String?
        get() = header(ErrorCodes.HEADER)?.let(ErrorCodes::ofHeader)
            ?: if (isGood) null else read?.let(ErrorCodes::ofBody)

    /** The service's error message, if a failure's body was read; see [OkHttpRetriesBuilder.errorBodyBytes]. */
    override val errorMessage: String? get() = if (isGood) null else read?.let(ErrorCodes::messageOfBody)

    /**
     * The whole body as the server sent it; `null` if it was not read, is longer than what is read for the policy, or was
     * compressed and is unpacked already.
     */
    override val body: ByteArray? get() = read?.takeIf { it.size <= limit && !isUnpacked() }?.copyOf()

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
        return try {
            response.peekBody(limit + 1L).bytes()
        } catch (_: IOException) {
            // A body that breaks off: the status has to do.
            null
        }
    }

    private fun isUnpacked() =
        response.networkResponse?.header("Content-Encoding") != response.header("Content-Encoding")

    override fun toString(): String = "HTTP $status" + (errorCode?.let { " $it" } ?: "")

    private companion object {
        const val FIRST_FAILURE = 300
    }
}
