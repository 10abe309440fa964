package dev.reprise.spring.http

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.java.internal.ExchangeLimit
import org.springframework.http.HttpHeaders
import org.springframework.http.HttpMethod
import org.springframework.http.client.ClientHttpResponse
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream
import java.io.SequenceInputStream

/** The beginning of a response's body, read within the attempt. Confined to one call. */
internal class HeldBody private constructor(
    /** The bytes that were read. */
    val bytes: ByteArray,
    /** Whether that is all of it. */
    val isWhole: Boolean,
    private val rest: InputStream?,
) {
    /** The bytes that were read, then the rest within [limit], which may be an exception. */
    fun stream(limit: ExchangeLimit? = null): InputStream {
        val first = ByteArrayInputStream(bytes)
        return if (rest == null) first else SequenceInputStream(first, limit?.over(rest) ?: rest)
    }

    companion object {
        private const val PART = 8 * 1024
        private const val NO_CONTENT = 204

        /**
         * Reads the body of [response] to a request with this [method], [goodBytes] of a good one at most, within [time]. Returns
         * `null` if it is to be left alone. A good body that breaks off throws; of a failure's body the caller sees the break where
         * it is. A failure's body that takes longer than [BodyPeek.LONGEST_NANOS] is read no further; its caller can read on.
         */
        @Throws(IOException::class)
        fun of(
            response: ClientHttpResponse,
            method: HttpMethod,
            status: Int,
            goodBytes: Int,
            time: ExchangeLimit? = null,
        ): HeldBody? {
            val isFailure = HeldBytes.isFailure(status)
            val limit = HeldBytes.of(response.headers, status, goodBytes)
            if (limit == 0) return null
            val length = HeldBytes.lengthOf(response.headers)
            // One byte more, to see the end.
            val part = ByteArray(if (length in 0 until PART) length.toInt() + 1 else PART)
            val buffer = ByteArrayOutputStream(part.size)
            try {
                // Reads, too, if it is buffered below.
                val body = response.body.let { time?.over(it) ?: it }
                val start = System.nanoTime()
                while (buffer.size() <= limit && !(isFailure && isLate(start))) {
                    val size = if (isFailure) body.readSome(part) else body.read(part)
                    if (size < 0) {
                        val hasBody = method != HttpMethod.HEAD && status != NO_CONTENT
                        val whole = buffer.toByteArray()
                        if (hasBody && !isFailure) checkWhole(whole, response)
                        return HeldBody(whole, isWhole = true, rest = null)
                    }
                    buffer.write(part, 0, size)
                }
                return HeldBody(buffer.toByteArray(), isWhole = false, body)
            } catch (e: Exception) {
                // Reactor Netty's stream throws it wrapped.
                val failure = e as? IOException ?: e.cause as? IOException ?: throw e
                if (!isFailure) throw failure
                return HeldBody(buffer.toByteArray(), isWhole = false, Broken(failure))
            }
        }

        /** Reads what has come, at least a byte: Reactor Netty's stream waits until a buffer is full. */
        private fun InputStream.readSome(part: ByteArray): Int {
            val first = read()
            if (first < 0) return -1
            part[0] = first.toByte()
            val more = minOf(available(), part.size - 1)
            return if (more > 0) 1 + maxOf(read(part, 1, more), 0) else 1
        }

        private fun isLate(start: Long) = System.nanoTime() - start > BodyPeek.LONGEST_NANOS

        private fun checkWhole(read: ByteArray, response: ClientHttpResponse) {
            val length = expectedLength(response.headers)
            if (read.size < length) throw endedEarly(read.size.toLong(), length)
        }

        /** [body] of a good [outcome], which breaks if it ends before its length: HttpURLConnection takes that for a whole one. */
        fun measured(body: InputStream, outcome: RestOutcome): InputStream {
            val length = if (HeldBytes.isFailure(outcome.status)) -1 else expectedLength(outcome.headers)
            return if (length > 0) Measured(body, length) else body
        }

        /** The length of a body that nobody has unpacked; -1 if it is not known. */
        private fun expectedLength(headers: HttpHeaders) =
            if (headers.containsHeader(HttpHeaders.CONTENT_ENCODING)) -1 else HeldBytes.lengthOf(headers)

        private fun endedEarly(read: Long, length: Long) = IOException("body ended early: $read of $length bytes")
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
                throw endedEarly(read, length)
            }
        }
    }

    /** A body that breaks with [failure]. */
    private class Broken(private val failure: IOException) : InputStream() {
        override fun read(): Int = throw failure
    }
}
