package dev.reprise.spring.http

import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.ReadAhead
import org.springframework.http.HttpHeaders.CONTENT_ENCODING
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream

/** The bodies of the responses to requests of RestClient. */
internal object HeldBody {
    private const val NO_CONTENT = 204
    private const val UNPACKS_NOTHING = "org.springframework.http.client.SimpleClientHttpResponse"

    /**
     * Reads the beginning of the body of [response] to a request with this [method], [goodBytes] of a good one at most, within
     * [time]. Returns `null` if it is to be left alone.
     */
    @Throws(IOException::class)
    fun of(
        response: ClientHttpResponse,
        method: HttpMethod,
        status: Int,
        goodBytes: Int,
        wire: Wire = Wire(response),
        time: ExchangeLimit? = null,
    ): ReadAhead? {
        val limit = HeldBytes.of(response.headers, status, goodBytes)
        if (limit == 0) return null
        val source = ReadAhead.Source { bodyOf(response, method, status, wire).let { time?.over(it) ?: it } }
        return ReadAhead.of(source, HeldBytes.lengthOf(response.headers), limit, HeldBytes.isFailure(status))
    }

    /** The body of [response]; a good one breaks if it ends before its length: HttpURLConnection takes that for a whole one. */
    fun bodyOf(response: ClientHttpResponse, method: HttpMethod, status: Int, wire: Wire): InputStream {
        val isPacked = response.headers.containsHeader(CONTENT_ENCODING) && response.javaClass.name != UNPACKS_NOTHING
        val isUnknown = HeldBytes.isFailure(status) || method == HttpMethod.HEAD || status == NO_CONTENT || isPacked
        val length = if (isUnknown) -1 else HeldBytes.lengthOf(response.headers)
        val body = wire.bodyOf(response)
        return if (length > 0) Measured(body, length) else body
    }

    /** A [body] of [length] bytes. */
    private class Measured(body: InputStream, private val length: Long) : FilterInputStream(body) {
        private var read = 0L

        override fun read(): Int = super.read().also { counted(if (it < 0) -1 else 1) }

        override fun read(bytes: ByteArray, offset: Int, length: Int): Int =
            super.read(bytes, offset, length).also { counted(it.toLong()) }

        override fun skip(bytes: Long): Long = super.skip(bytes).also(::counted)

        private fun counted(size: Long) {
            if (size >= 0) {
                read += size
            } else if (read < length) {
                throw IOException("body ended early: $read of $length bytes")
            }
        }
    }
}
