package dev.reprise.aws.java

import software.amazon.awssdk.core.interceptor.Context
import software.amazon.awssdk.http.SdkHttpMethod
import java.io.FilterInputStream
import java.io.IOException
import java.io.InputStream
import java.util.Optional

/**
 * A body that ends before its `Content-Length` fails, as clients over Apache and Netty have it. With the JDK's connection it ends
 * silently, and the parser takes a broken connection for a wrong document.
 */
internal class WholeBody private constructor(body: InputStream, private val length: Long) : FilterInputStream(body) {
    private var count = 0L

    override fun read(): Int = super.read().also { read(if (it < 0) -1 else 1) }

    override fun read(bytes: ByteArray, from: Int, most: Int): Int = super.read(bytes, from, most).also(::read)

    override fun skip(most: Long): Long = super.skip(most).also { count += it }

    override fun markSupported(): Boolean = false

    private fun read(more: Int) {
        if (more >= 0) {
            count += more
        } else if (count < length) {
            throw IOException("closed after $count of $length bytes")
        }
    }

    companion object {
        /** The body of the response in [context]; checked if its length is known. */
        fun of(context: Context.ModifyHttpResponse): Optional<InputStream> {
            val response = context.httpResponse()
            val length = response.firstMatchingHeader("Content-Length").map { it.toLongOrNull() }.orElse(null)
            val isBare = context.httpRequest().method() == SdkHttpMethod.HEAD || response.statusCode() in BARE
            return if (length == null ||
                isBare
            ) {
                context.responseBody()
            } else {
                context.responseBody().map { WholeBody(it, length) }
            }
        }

        private val BARE = setOf(204, 304)
    }
}
