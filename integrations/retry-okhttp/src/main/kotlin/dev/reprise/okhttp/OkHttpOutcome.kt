package dev.reprise.okhttp

import dev.reprise.core.classify.ErrorCodes
import dev.reprise.core.classify.HttpOutcome
import okhttp3.Headers
import okhttp3.Response
import java.io.IOException

/**
 * A response as the classifiers see it: what an attempt results in, and what listeners are told. Its head stays
 * readable when the response is rejected and closed.
 */
public class OkHttpOutcome internal constructor(internal val response: Response, errorBodyBytes: Int) : HttpOutcome() {
    private val codeInBody: String? = if (errorBodyBytes > 0) searchBody(errorBodyBytes) else null

    override val status: Int get() = response.code

    /** All headers of the response. */
    public val headers: Headers get() = response.headers

    override val errorCode: String? get() = header(ErrorCodes.HEADER)?.let(ErrorCodes::ofHeader) ?: codeInBody

    override val receivedAtEpochMillis: Long get() = response.receivedResponseAtMillis

    override fun header(name: String): String? {
        // Headers.get returns the last one.
        val headers = response.headers
        for (i in 0 until headers.size) if (headers.name(i).equals(name, ignoreCase = true)) return headers.value(i)
        return null
    }

    /** The error code in the first [limit] bytes of a failure's body, which the caller can still read whole. */
    private fun searchBody(limit: Int): String? {
        if (response.code < FIRST_FAILURE || header(ErrorCodes.HEADER)?.let(ErrorCodes::ofHeader) != null) return null
        return try {
            ErrorCodes.ofBody(response.peekBody(limit.toLong()).bytes())
        } catch (_: IOException) {
            // A body that breaks off: the status has to do.
            null
        }
    }

    override fun toString(): String = "HTTP $status" + (errorCode?.let { " $it" } ?: "")

    private companion object {
        const val FIRST_FAILURE = 300
    }
}
