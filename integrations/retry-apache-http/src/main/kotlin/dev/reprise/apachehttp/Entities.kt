package dev.reprise.apachehttp

import org.apache.hc.core5.http.HttpEntity
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper
import java.io.FilterOutputStream
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream

/** The body of a request, which knows whether it failed by itself: no server can cure that. */
internal class WatchedEntity(private val body: HttpEntity) : HttpEntityWrapper(body) {
    /** Whether the body threw. */
    var hasThrown = false
        private set

    override fun writeTo(out: OutputStream) {
        val wire = Wire(out)
        try {
            body.writeTo(wire)
        } catch (e: Exception) {
            hasThrown = !wire.hasThrown
            throw e
        }
    }

    private class Wire(out: OutputStream) : FilterOutputStream(out) {
        var hasThrown = false

        override fun write(byte: Int) = sending { out.write(byte) }

        override fun write(bytes: ByteArray, offset: Int, length: Int) = sending { out.write(bytes, offset, length) }

        override fun flush() = sending { out.flush() }

        private inline fun sending(send: () -> Unit) = try {
            send()
        } catch (e: IOException) {
            hasThrown = true
            throw e
        }
    }
}

/** The body of a response, of which some bytes may have been read: its caller reads [content], and [closes][onClose] it. */
internal class ReadEntity(body: HttpEntity, private val content: InputStream, private val onClose: () -> Unit) :
    HttpEntityWrapper(body) {
    override fun getContent(): InputStream = content

    override fun writeTo(out: OutputStream) {
        content.use { it.transferTo(out) }
    }

    /** The client reads what is left. */
    override fun close() = try {
        super.close()
    } finally {
        onClose()
    }
}
