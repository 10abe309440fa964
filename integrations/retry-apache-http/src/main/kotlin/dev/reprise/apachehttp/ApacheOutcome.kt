package dev.reprise.apachehttp

import dev.reprise.core.shell.http.BodyPeek
import dev.reprise.core.shell.http.ReadOutcome
import dev.reprise.java.JavaWaiter
import dev.reprise.java.internal.Elsewhere
import dev.reprise.java.internal.ExchangeLimit
import dev.reprise.java.internal.Timers
import org.apache.hc.core5.concurrent.Cancellable
import org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.hc.core5.http.Header
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.io.SequenceInputStream
import java.time.Duration

/**
 * A response as the classifiers see it: the result of an attempt, also in listeners' events. Its head, and the bytes
 * that were read of its body, stay readable when the response is rejected and closed.
 */
public class ApacheOutcome internal constructor(
    internal val response: ClassicHttpResponse,
    peek: BodyPeek,
    private val isPacked: Boolean,
    private val cut: Cancellable,
    time: ExchangeLimit?,
) : ReadOutcome(System.currentTimeMillis()) {
    override val status: Int = response.code

    internal val isFailure: Boolean get() = status >= FIRST_FAILURE

    /** The rest of the body; `null` if all of it was read, or there is none. */
    private var rest: InputStream? = null
    private var hasEnded = false

    override val read: ByteArray? = readBody(peek.bytesOf(status), time)

    /** Not of a body that was compressed and is unpacked already. */
    override val isWhole: Boolean get() = hasEnded && !isPacked

    /** All headers of the response. */
    public val headers: List<Header> get() = response.headers.asList()

    override fun header(name: String): String? = response.getFirstHeader(name)?.value

    /** Reads what the policy looks at. A good body may be a stream without end: not that. A good one that breaks throws. */
    private fun readBody(limit: Int, time: ExchangeLimit?): ByteArray? {
        val entity = response.entity
        if (entity == null || limit == 0 || (!isFailure && entity.contentLength !in 0..limit)) return null
        val body = entity.content.let { time?.over(it) ?: it }
        val buffer = ByteArrayOutputStream()
        val part = ByteArray(PART)
        val end = System.nanoTime() + BodyPeek.LONGEST_NANOS
        rest = entity.content
        try {
            while (buffer.size() <= limit && System.nanoTime() - end < 0) {
                val size = body.read(part, 0, minOf(part.size, limit + 1 - buffer.size()))
                if (size < 0) {
                    hasEnded = true
                    rest = null
                    break
                }
                buffer.write(part, 0, size)
            }
        } catch (e: IOException) {
            if (!isFailure || time?.isOver == true) throw e
            rest = Broken(e)
        }
        return buffer.toByteArray()
    }

    /** Whether there may be something of the body that was not read. */
    internal val isOpen: Boolean get() = !hasEnded && response.entity != null

    /** Hands the response to the caller, who reads what was read, then the rest within [limit]. */
    internal fun deliver(limit: ExchangeLimit?): ClassicHttpResponse {
        val entity = response.entity
        if (entity == null || (read == null && limit == null)) return response
        val open = if (read == null) entity.content else rest
        val left = open?.let { limit?.over(it) ?: it }
        val first = ByteArrayInputStream(read ?: ByteArray(0))
        response.entity = ReadEntity(entity, if (left == null) first else SequenceInputStream(first, left)) {
            limit?.close()
        }
        return response
    }

    /**
     * Releases the response. Its connection is used again if the rest of the body is short and there at once, and closed otherwise:
     * the client itself would read on to the end. Never throws.
     */
    internal fun drop() {
        val isLong = !isOpen || response.entity.contentLength > MOST_DRAINED
        val timer = if (isLong) null else JavaWaiter.SYSTEM.after(LONGEST_DRAIN) { Elsewhere.run(cut::cancel) }
        try {
            val body = if (isLong) null else rest ?: response.entity.content
            if (isOpen && body?.let(::drains) != true) cut.cancel()
            response.close()
        } catch (_: Exception) {
            cut.cancel()
        } finally {
            Timers.stop(timer)
        }
    }

    private fun drains(body: InputStream): Boolean {
        val part = ByteArray(PART)
        var left = MOST_DRAINED
        while (left > 0) {
            val size = body.read(part)
            if (size < 0) return true
            left -= size
        }
        return false
    }

    private class Broken(private val failure: IOException) : InputStream() {
        override fun read(): Int = throw failure
    }

    private companion object {
        const val FIRST_FAILURE = 300
        const val PART = 8 * 1024

        /** As much as the other faces drain at most. */
        const val MOST_DRAINED = 64L * 1024
        val LONGEST_DRAIN: Duration = Duration.ofMillis(100)
    }
}
